"""What the windows of one process share: how bugs are told, how it ends, when it tidies and loads ahead."""
