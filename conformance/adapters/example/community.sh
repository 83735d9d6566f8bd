# Prints the elements of an array, one a line: community.sh ZARR --array_path PATH
zarr=$1
shift
case $1 in
--version) exec "$zarr" --version ;;
*) ZARR_PLUGINS=off exec "$zarr" elements "$@" ;;
esac
