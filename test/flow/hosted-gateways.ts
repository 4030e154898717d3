import { fileURLToPath } from 'node:url';
import { withoutKeys } from './command-line.ts';
import type { Gateway, Ready } from './gateway.ts';
import { createHost } from './host.ts';

export type GatewayQuestion =
  | {
      readonly asks: 'start';
      readonly number: number;
      readonly root: string;
      /** All of its environment. */
      readonly variables: NodeJS.ProcessEnv;
    }
  | {
      readonly asks: 'stop';
      readonly number: number;
      /** What is under way is broken off. */
      readonly atOnce: boolean;
    };

export type GatewayNews =
  | { readonly number: number; readonly log: string }
  /** What nobody caught, after which the process ends. */
  | { readonly broken: string };

/** What Node or the system reads, or what ends the process. A gateway itself reads what it is handed. */
const OF_THE_PROCESS = /^(?:NODE_(?!ENV$)|TZ$|HOME$|PATH$|LANG$|LC_|LD_|XDG_|EPISTLE_CRASH_AT$)/;

/** Those that run, by number. */
const running = new Map<number, { readonly root: string; log: string }>();
const state = { last: 0, broken: [] as string[], isBroken: false, isWatched: false };

const ask = createHost<GatewayQuestion, unknown, GatewayNews>({
  entry: fileURLToPath(new URL('./gateway-host.ts', import.meta.url)),
  environment: withoutKeys(process.env),
  onNews(news) {
    if ('broken' in news) {
      state.broken.push(news.broken);
      state.isBroken = true;
      return;
    }
    const found = running.get(news.number);
    if (found) found.log += news.log;
  },
  onEnd(code) {
    // Unless it has said itself why it ends.
    if (!state.isBroken) state.broken.push(`the process of the gateways ended with ${code}`);
    state.isBroken = false;
    running.clear();
  },
});

/** A gateway in the process of all others that tests of this process have started so. */
export async function startHosted(root: string, environment: Readonly<Record<string, string>>): Promise<Gateway> {
  const alone = Object.keys(environment).filter((name) => OF_THE_PROCESS.test(name));
  if (alone.length > 0) throw new Error(`a process heeds ${alone.join(', ')}: that needs \`launchGateway\``);
  if (!state.isWatched) throw new Error('nobody here would hear of it when it breaks: see ends-with-file.ts');
  state.last += 1;
  const number = state.last;
  const mine = { root, log: '' };
  running.set(number, mine);
  try {
    const variables = { ...withoutKeys(process.env), ...environment };
    const ready = (await ask({ asks: 'start', number, root, variables })) as Ready;
    let stopped: Promise<unknown> | undefined;
    const stop = (atOnce: boolean) => {
      stopped ??= ask({ asks: 'stop', number, atOnce }).finally(() => running.delete(number));
      return stopped;
    };
    return { ready, log: () => mine.log, stop: () => stop(false), end: () => stop(true) };
  } catch (error) {
    running.delete(number);
    throw new Error(`the gateway did not become ready:\n${mine.log}`, { cause: error });
  }
}

/** Whoever asks after each test what broke says so before the first. */
export function watchGateways(): void {
  state.isWatched = true;
}

/** What broke in their process since the last time; a test during which that happened has failed. */
export const brokenGateways = (): readonly string[] => state.broken.splice(0);

/** The workspaces of those that are still at work, which are stopped. */
export async function gatewaysLeft(): Promise<readonly string[]> {
  const left = [...running];
  await Promise.all(left.map(([number]) => ask({ asks: 'stop', number, atOnce: true })));
  running.clear();
  return left.map(([, { root }]) => root);
}
