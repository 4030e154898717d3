import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A program beside the gateway, in a process of its own so that its CPU time is not the gateway's. */
export interface Peer<Hello> {
  readonly pid: number;
  /** What it said when it was ready: ports, mostly. */
  readonly hello: Hello;
  /** One question at a time; resolves with the answer. */
  ask<Answer>(question: object): Promise<Answer>;
  stop(): Promise<void>;
}

/** Starts `peers/<name>.ts`; resolves at its first message. */
export async function startPeer<Hello>(name: string, args: readonly string[] = []): Promise<Peer<Hello>> {
  const file = fileURLToPath(new URL(`./peers/${name}.ts`, import.meta.url));
  const child = fork(file, args, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const hello = (await nextMessage(child, name)) as Hello;
  return {
    pid: child.pid ?? 0,
    hello,
    async ask<Answer>(question: object) {
      const answer = nextMessage(child, name);
      child.send(question);
      return (await answer) as Answer;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function nextMessage(child: ChildProcess, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const died = (code: number | null) => reject(new Error(`the peer ${name} ended with ${code}`));
    child.once('exit', died);
    child.once('message', (message) => {
      child.off('exit', died);
      resolve(message);
    });
  });
}
