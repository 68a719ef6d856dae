"""Used by the programs that make machines of files: diagnose.py, mon_cpus.py, mon_tree.py, mon_uncore.py."""
import os


def put(path, content):
    """A file with this text or number, whose last line has an end; of a dictionary, a directory with these files."""
    if isinstance(content, dict):
        for name, of_file in content.items():
            put(f"{path}/{name}", of_file)
        return
    text = str(content)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text if not text or text.endswith("\n") else text + "\n")


def link(path, to):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.islink(path):
        os.symlink(to, path)


def below(root):
    """put and link for paths below a directory."""
    return lambda path, text: put(f"{root}/{path}", text), lambda path, to: link(f"{root}/{path}", to)
