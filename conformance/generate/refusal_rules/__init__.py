"""The rules under which a reader refuses a document, by part of the specification."""
