"""exits.py CODE COMMAND...: runs the command and succeeds if its exit code is CODE, not just any except 0."""
import subprocess
import sys

ended = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL).returncode
if ended != int(sys.argv[1]):
    print(f"exits.py: the exit code is {ended}, expected {sys.argv[1]}", flush=True)
    sys.exit(1)
