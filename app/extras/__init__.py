"""Features beside the pages: each folder imports the dashboard, which imports none of them. See `app.chrome.extras`."""
