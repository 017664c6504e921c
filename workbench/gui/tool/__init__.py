"""The document of one tool and its pages, and making a new one."""
