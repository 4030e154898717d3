import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  forgotten: boolean;
}

/**
 * A proxy in front of a real server that can lose the network: cut connections, swallow every byte, refuse, or
 * deliver late; `at`: the port, any free one by default. Emits `connection` for each that arrives and `bytes` for each piece that passes.
 */
export async function startTcpProxy(target: { host: string; port: number }, at = 0) {
  const pairs = new Set<Pair>();
  const events = new EventEmitter();
  const mode = { blackhole: false, refuse: false, delayMs: 0, accepted: 0 };

  const isSwallowed = (pair: Pair) => mode.blackhole || pair.forgotten;
  const forward = (pair: Pair, direction: 'up' | 'down') => {
    const [from, to] = direction === 'up' ? [pair.client, pair.server] : [pair.server, pair.client];
    from.on('data', (bytes) => {
      if (isSwallowed(pair)) return;
      const pass = () => {
        if (!to.destroyed) to.write(bytes);
        events.emit('bytes', { direction, bytes });
      };
      if (mode.delayMs > 0) setTimeout(pass, mode.delayMs);
      else pass();
    });
    from.on('end', () => {
      if (!isSwallowed(pair)) to.end();
    });
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    client.on('error', () => {});
    if (mode.refuse) return void client.destroy();
    mode.accepted += 1;
    const upstream = connect({ ...target, allowHalfOpen: true, noDelay: true });
    upstream.on('error', () => client.destroy());
    const pair: Pair = { client, server: upstream, forgotten: false };
    pairs.add(pair);
    client.on('close', () => {
      pairs.delete(pair);
      upstream.destroy();
    });
    upstream.on('close', () => {
      if (!isSwallowed(pair)) client.destroy();
    });
    forward(pair, 'up');
    forward(pair, 'down');
    events.emit('connection');
  });
  server.listen(at, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();

  const cut = () => {
    for (const { client, server: upstream } of pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
  };

  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    events,
    accepted: () => mode.accepted,
    /** Ends all connections at once, both ways, with a reset. */
    cut,
    /** From now on no byte passes and no connection ends; new ones are taken and stay silent. */
    blackhole(on: boolean) {
      mode.blackhole = on;
      // What was swallowed cannot come later: those connections are lost either way.
      if (!on) cut();
    },
    /** The connections of now go silent for ever and new ones work, as behind a router that has lost its table. */
    forget() {
      for (const pair of pairs) pair.forgotten = true;
    },
    refuse(on: boolean) {
      mode.refuse = on;
    },
    delay(ms: number) {
      mode.delayMs = ms;
    },
    async stop() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;
