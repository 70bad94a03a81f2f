"""What stands round the pages: header, tabs, help, the document itself."""
