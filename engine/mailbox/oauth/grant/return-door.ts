import { once } from 'node:events';
import { createServer } from 'node:http';

/** Where a browser is sent back to after a login: this machine alone can reach it. */
export interface ReturnDoor {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Listens on loopback. `onReturn` is told the path and query of each request, and says whether it is the login that is
 * waited for. Throws EADDRINUSE where something else has the port.
 */
export async function openReturnDoor(port: number, onReturn: (path: string) => boolean): Promise<ReturnDoor> {
  const server = createServer((request, response) => {
    const isOurs = request.method === 'GET' && onReturn(request.url ?? '/');
    const [status, words] = isOurs
      ? [200, 'The login has come back. This page can be closed.']
      : [404, 'This is not the login that is waited for.'];
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${words}\n`);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
