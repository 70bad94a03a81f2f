"""Components only the Offline page needs: the ladder's canvas, its views, and the file picker."""
