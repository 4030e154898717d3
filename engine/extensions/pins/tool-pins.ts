import { join } from 'node:path';
import { EngineError } from '#contract';
import { type Stamp, stampOf, unchanged } from '../../config/live/stamp.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ServerPins } from './difference.ts';
import { LOCK_FILE, readLock, writePins } from './lock-file.ts';

/** What the lock file says at one moment; the same object as long as the file is the same. */
export interface PinsNow {
  /** Why no tool is allowed whatever was; null: the file could be read. */
  readonly broken: string | null;
  /** Null: nobody has allowed anything of it. */
  of(server: string): ServerPins | null;
}

/** The tools of MCP servers that owners have seen, as the workspace keeps them. */
export interface ToolPins {
  /** Looks at the file each time, since another process may have written it. */
  now(): PinsNow;
  /** Throws `config_invalid` where the file is broken, `workspace_locked` where another process keeps writing it. */
  write(server: string, pins: ServerPins): Promise<void>;
  /** Servers that an earlier build had in use: the list that each shows first before `until` is pinned as it is, unless some of it was before. */
  takeOver(servers: readonly string[], until: number): void;
  /** Whether any was taken over by this process, or is to be. */
  takesOver(): boolean;
  /** Whether the list that a server shows now is to be pinned, whatever it is. */
  isTakenOver(server: string): boolean;
}

interface PinsDeps {
  readonly root: string;
  /** Null: another process writes now. */
  lock(): { release(): void } | null;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
}

const WAIT_MS = 5000;
const AGAIN_MS = 50;

export function createToolPins({ root, lock, clock }: PinsDeps): ToolPins {
  const path = join(root, LOCK_FILE);
  const state: { stamp: Stamp | null; text: string; now: PinsNow | null; takesOver: boolean } = {
    stamp: null,
    text: '',
    now: null,
    takesOver: false,
  };
  const due = new Map<string, number>();

  const now = (): PinsNow => {
    const stamp = stampOf(path);
    if (state.now !== null && unchanged(state.stamp, stamp)) return state.now;
    const read = readLock(root);
    const text = read.state === 'bad' ? read.why : JSON.stringify(read.lock);
    state.stamp = stamp;
    if (state.now !== null && text === state.text) return state.now;
    state.text = text;
    state.now = {
      broken: read.state === 'bad' ? read.why : null,
      of: (server) => (read.state === 'bad' ? null : (read.servers.get(server) ?? null)),
    };
    return state.now;
  };

  async function locked(): Promise<{ release(): void }> {
    const until = clock.now() + WAIT_MS;
    for (;;) {
      const held = lock();
      if (held) return held;
      if (clock.now() >= until)
        throw new EngineError('workspace_locked', `another process is writing ${LOCK_FILE}; try it again`);
      await clock.sleep(AGAIN_MS);
    }
  }

  return {
    now,
    async write(server, pins) {
      const held = await locked();
      try {
        writePins(root, server, pins);
      } finally {
        held.release();
      }
      due.delete(server);
    },
    takeOver(servers, until) {
      for (const server of servers) due.set(server, until);
      state.takesOver ||= servers.length > 0;
    },
    takesOver: () => state.takesOver,
    isTakenOver(server) {
      const { broken, of } = now();
      return (due.get(server) ?? 0) > clock.now() && broken === null && of(server) === null;
    },
  };
}
