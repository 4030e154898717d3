import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Takes every mail and says which one it answers. */
export async function startSink(onAnswer: (inReplyTo: string) => void): Promise<{ port: number }> {
  const server = createServer({ noDelay: true }, (socket) => serve(socket, onAnswer));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port };
}

function serve(socket: Socket, onAnswer: (inReplyTo: string) => void): void {
  let buffered = '';
  let inData = false;
  const consume = (): boolean => {
    const end = buffered.indexOf(inData ? '\r\n.\r\n' : '\r\n');
    if (end < 0) return false;
    const text = buffered.slice(0, end);
    buffered = buffered.slice(end + (inData ? 5 : 2));
    if (inData) {
      inData = false;
      socket.write('250 2.0.0 taken\r\n');
      onAnswer(/^In-Reply-To: (\S+)/im.exec(text)?.[1] ?? '');
    } else {
      const verb = text.slice(0, 4).toUpperCase();
      inData = verb === 'DATA';
      socket.write(answerTo(verb));
      if (verb === 'QUIT') socket.end();
    }
    return true;
  };
  socket.setEncoding('latin1');
  socket.on('error', () => {});
  socket.write('220 sink ready\r\n');
  socket.on('data', (chunk) => {
    buffered += chunk;
    while (consume());
  });
}

function answerTo(verb: string): string {
  if (verb === 'EHLO') return '250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n';
  if (verb === 'DATA') return '354 go ahead\r\n';
  return verb === 'QUIT' ? '221 2.0.0 bye\r\n' : '250 2.0.0 ok\r\n';
}
