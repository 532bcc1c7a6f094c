"""Starts a command, sends it SIGINT once it has a handler for it, and prints its messages and exit code."""
import re
import signal
import subprocess
import sys
import time


def handles_interrupt(pid):
    """Whether the process has a handler of SIGINT: on a busy machine that may take long."""
    with open(f"/proc/{pid}/status") as status:
        caught = int(re.search(r"SigCgt:\s*(\w+)", status.read())[1], 16)
    return caught >> (signal.SIGINT - 1) & 1


process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
while process.poll() is None and not handles_interrupt(process.pid):
    time.sleep(0.02)
time.sleep(0.5)
process.send_signal(signal.SIGINT)
try:
    output, _ = process.communicate(timeout=60)
except subprocess.TimeoutExpired:
    process.kill()
    output, _ = process.communicate()
    print("60 seconds later it still ran")
print(output)
print("exit code", process.returncode)
