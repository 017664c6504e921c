"""How everything looks: the tokens, the modes, and how a line, an icon and a mark are painted."""
