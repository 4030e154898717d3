import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import type { Issued } from './certificates.ts';

/** TLS before a server of this machine that speaks in the clear; bytes go on as they come. */
export async function startTlsFront(issued: Issued, baseUrl: string): Promise<{ port: number; stop(): void }> {
  const { port: behind } = new URL(baseUrl);
  const sockets = new Set<Socket>();
  const server = createServer(issued, (client) => {
    const upstream = connect(Number(behind), '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    }
    client.pipe(upstream).pipe(client);
  });
  // Whoever does not believe the certificate hangs up in the middle of the handshake.
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return {
    port: address.port,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
