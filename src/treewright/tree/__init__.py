"""What a tree is: flat frozen arrays, nodes as views, predict, JSON."""
