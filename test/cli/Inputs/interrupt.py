"""Starts a command, sends it SIGINT once it runs, and prints its messages and exit code."""
import signal
import subprocess
import sys
import time

process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
time.sleep(1.0)
process.send_signal(signal.SIGINT)
output, _ = process.communicate(timeout=60)
print(output)
print("exit code", process.returncode)
