// An empty INBOX behind as much of IMAP4rev1 with IDLE as a client needs to watch it.
import { type AddressInfo, createServer, type Socket } from 'node:net';

const CAPABILITIES = 'IMAP4rev1 IDLE UIDPLUS MOVE ID NAMESPACE ENABLE';

const server = createServer({ noDelay: true }, (socket) => {
  let rest = '';
  let idleTag: string | null = null;
  socket.setEncoding('latin1');
  socket.on('error', () => {});
  socket.write(`* OK [CAPABILITY ${CAPABILITIES}] ready\r\n`);
  socket.on('data', (chunk) => {
    const lines = (rest + chunk).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (idleTag !== null && /^DONE$/i.test(line)) {
        socket.write(`${idleTag} OK idle ended\r\n`);
        idleTag = null;
        continue;
      }
      const [tag = '*', command = ''] = line.split(' ');
      if (/^IDLE$/i.test(command)) idleTag = tag;
      answer(socket, tag, command.toUpperCase(), line);
    }
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

function answer(socket: Socket, tag: string, command: string, line: string): void {
  const untagged = untaggedOf(command, line);
  if (command === 'IDLE') socket.write('+ idling\r\n');
  else if (command === 'LOGOUT') socket.end(`* BYE\r\n${tag} OK bye\r\n`);
  else if (command === 'AUTHENTICATE') socket.write(`${tag} NO use LOGIN\r\n`);
  else socket.write(`${untagged.map((text) => `* ${text}\r\n`).join('')}${tag} OK ${okOf(command)}\r\n`);
}

const okOf = (command: string): string => (command === 'SELECT' ? '[READ-WRITE] selected' : 'done');

function untaggedOf(command: string, line: string): string[] {
  switch (command) {
    case 'CAPABILITY':
      return [`CAPABILITY ${CAPABILITIES}`];
    case 'NAMESPACE':
      return ['NAMESPACE (("" "/")) NIL NIL'];
    case 'ID':
      return ['ID NIL'];
    case 'LIST':
    case 'LSUB':
      return [`${command} () "/" INBOX`];
    case 'SELECT':
    case 'EXAMINE':
      return [
        'FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft)',
        'OK [PERMANENTFLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft \\*)] flags',
        '0 EXISTS',
        '0 RECENT',
        'OK [UIDVALIDITY 1] valid',
        'OK [UIDNEXT 1] next',
      ];
    case 'STATUS':
      return ['STATUS INBOX (MESSAGES 0 UIDNEXT 1 UIDVALIDITY 1 UNSEEN 0)'];
    case 'UID':
      return / SEARCH /i.test(line) ? ['SEARCH'] : [];
    default:
      return [];
  }
}
