"""Runs a command in a pseudo-terminal of so many columns; prints its exit code and what it wrote."""
import fcntl, json, os, pty, struct, sys, termios

command, columns = json.loads(sys.argv[1]), int(sys.argv[2])
reading, writing = os.pipe()
pid, terminal = pty.fork()
if pid == 0:
    # The terminal has its width before the command asks for it.
    os.read(reading, 1)
    os.execv(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
os.write(writing, b"x")
screen = b""
try:
    while chunk := os.read(terminal, 65536):
        screen += chunk
except OSError:
    pass
_, status = os.waitpid(pid, 0)
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "screen": screen.decode("utf8").replace("\r\n", "\n")}))
