import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Loopback ports that were free a moment ago; held together, so that they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/** Waits until a server on the port has said its greeting. */
export async function untilGreeted(port: number, deadlineMs = 15_000): Promise<void> {
  const endsAt = Date.now() + deadlineMs;
  while (Date.now() < endsAt) {
    if (await greets(port)) return;
    await pause(20);
  }
  throw new Error(`nothing answers on port ${port}`);
}

function greets(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('data', () => resolve(true));
  socket.once('error', () => resolve(false));
  socket.once('close', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/** Waits until something takes connections on the port; what it said so far stands in the error. */
export async function untilOpen(port: number, said: () => string = () => '', deadlineMs = 20_000): Promise<void> {
  const endsAt = Date.now() + deadlineMs;
  while (Date.now() < endsAt) {
    const socket = connect(port, '127.0.0.1');
    const { promise, resolve } = Promise.withResolvers<boolean>();
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    if (await promise.finally(() => socket.destroy())) return;
    await pause(20);
  }
  throw new Error(`nothing listens on port ${port}: ${said()}`);
}
