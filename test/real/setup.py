"""Drives `epistle setup` in a pseudo-terminal: waits for each prompt, answers it, or breaks it off with Ctrl-C."""
import fcntl, json, os, pty, re, select, struct, sys, termios, time

command, steps = json.loads(sys.argv[1]), json.loads(sys.argv[2])
pid, terminal = pty.fork()
if pid == 0:
    os.execv(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
seen, shown, deadline = "", "", time.time() + float(sys.argv[3])
plain = lambda text: re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
try:
    while time.time() < deadline:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if ready:
            chunk = os.read(terminal, 65536).decode("utf8", "replace")
            if chunk == "":
                break
            seen += chunk
            shown += chunk
        if steps and steps[0]["wait"] in plain(shown):
            shown = ""
            # The prompt takes keys once it is drawn.
            time.sleep(0.2)
            os.write(terminal, steps.pop(0)["keys"].encode())
except OSError:
    pass
# The terminal is closed a moment before the process is gone.
ended, status = os.waitpid(pid, os.WNOHANG)
while not ended and time.time() < deadline:
    time.sleep(0.05)
    ended, status = os.waitpid(pid, os.WNOHANG)
if not ended:
    os.kill(pid, 9)
    _, status = os.waitpid(pid, 0)
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "left": [step["wait"] for step in steps], "screen": plain(seen)}))
