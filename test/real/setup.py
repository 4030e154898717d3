"""
Drives `epistle setup` in a pseudo-terminal: waits for each prompt, answers it, or breaks it off with Ctrl-C. A step with
`open` is somebody who opens the address that is shown, in a browser that follows where it is sent; with `paste`, one whose
browser cannot get there, and who pastes the address that it was sent to. With `mails`, somebody writes these mails, in which
CODE stands for the code that is shown: to a port from outside, or with a login. It prints which prompts took keys, and when
the words of each step stood on the screen.
"""
import fcntl, json, os, pty, re, select, smtplib, ssl, struct, sys, termios, threading, time, urllib.error, urllib.request

command, steps = json.loads(sys.argv[1]), json.loads(sys.argv[2])
reading, writing = os.pipe()
pid, terminal = pty.fork()
if pid == 0:
    # The terminal has its size before the command asks for it.
    os.read(reading, 1)
    os.execv(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
os.write(writing, b"x")
seen, shown, deadline = "", "", time.time() + float(sys.argv[3])
# When each step's words stood there.
stood = []
plain = lambda text: re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


class Stays(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def sent_to(address):
    try:
        urllib.request.build_opener(Stays).open(address, timeout=60)
    except urllib.error.HTTPError as answer:
        return answer.headers["location"]


# The last one that stands there whole: the words before it may come a moment earlier.
def address():
    return (re.findall(r"(https?://\S+[?]\S+)\s", plain(seen)) or [None])[-1]


def post(mails):
    code = re.findall(r"with ([A-Z2-9]{4}) in the subject", plain(seen))[-1]
    for mail in mails:
        with smtplib.SMTP("127.0.0.1", mail["port"], "out.home.test", timeout=30) as server:
            if "client" in mail:
                # As a server that is there would hand it in; who runs the test says so to a port that takes its word.
                server.ehlo()
                server.docmd("XCLIENT", "ADDR=" + mail["client"] + " NAME=out.home.test")
                server.ehlo()
            if "password" in mail:
                server.starttls(context=ssl._create_unverified_context())
                server.login(mail["from"], mail["password"])
            server.sendmail(mail["from"], [mail["to"]], mail["text"].replace("CODE", code).encode())


def take(step):
    if "mails" in step:
        post(step["mails"])
        return
    if "keys" in step:
        # The prompt takes keys once it is drawn.
        time.sleep(0.2)
        os.write(terminal, step["keys"].encode())
        return
    shown_address = address()
    if "open" in step:
        threading.Thread(target=lambda: urllib.request.urlopen(shown_address, timeout=60).read(), daemon=True).start()
    else:
        os.write(terminal, (sent_to(shown_address) + "\n").encode())


try:
    while time.time() < deadline:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if ready:
            chunk = os.read(terminal, 65536).decode("utf8", "replace")
            if chunk == "":
                break
            seen += chunk
            shown += chunk
        if steps and steps[0]["wait"] in plain(shown) and (steps[0].keys() & {"keys", "mails"} or address()):
            step = steps.pop(0)
            stood.append({"wait": step["wait"], "at": time.time()})
            # Where nothing is typed, the next prompt may stand in the same piece already.
            shown = plain(shown).split(step["wait"], 1)[1] if step.get("keys") == "" else ""
            take(step)
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
# Each prompt is drawn with this sign while it takes keys, and drawn anew with some of them.
asked = [line.strip() for line in re.findall("\u25c6\\s+([^\r\n]*)", plain(seen))]
asked = [line for at, line in enumerate(asked) if at == 0 or line != asked[at - 1]]
left = [step["wait"] for step in steps]
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "left": left, "asked": asked, "stood": stood, "screen": plain(seen)}))
