import type { Duplex } from 'node:stream';

/** Lines of a server, one after the other. */
export interface Conversation {
  /** The next line without its end; null when none has come within `ms`, or the server hung up. */
  line(ms: number): Promise<string | null>;
  /** Says a line, then reads until one matches `last`; all that came, the matching one included. */
  ask(line: string, last: RegExp, ms: number): Promise<readonly string[]>;
  /** What came and was not read as a line: bytes of a protocol without lines. */
  rest(): string;
  /** Whether the server has hung up. */
  isOver(): boolean;
  /** Hears no more, so that TLS can go on over the same socket. */
  release(): void;
}

const MAX_BUFFERED = 64 * 1024;
const MAX_LINES = 100;

/** Reads a socket line by line; what exceeds 64 KiB unread ends it. */
export function converse(socket: Duplex): Conversation {
  const state = { buffered: '', over: false, wake: () => {} };
  const heard = (chunk: Buffer) => {
    state.buffered += chunk.toString('latin1');
    if (state.buffered.length > MAX_BUFFERED) socket.destroy();
    state.wake();
  };
  const ended = () => {
    state.over = true;
    state.wake();
  };
  socket.on('data', heard).on('end', ended).on('close', ended);

  const take = (): string | null => {
    const end = state.buffered.indexOf('\n');
    if (end < 0) return null;
    const line = state.buffered.slice(0, end).replace(/\r$/, '');
    state.buffered = state.buffered.slice(end + 1);
    return line;
  };
  const line = async (ms: number): Promise<string | null> => {
    const waited = { out: false };
    const timer = setTimeout(() => {
      waited.out = true;
      state.wake();
    }, ms);
    try {
      for (;;) {
        const found = take();
        if (found !== null || waited.out || state.over) return found;
        await new Promise<void>((resolve) => {
          state.wake = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    line,
    async ask(said, last, ms) {
      if (!state.over) socket.write(`${said}\r\n`);
      const lines: string[] = [];
      while (lines.length < MAX_LINES) {
        const next = await line(ms);
        if (next === null) break;
        lines.push(next);
        if (last.test(next)) break;
      }
      return lines;
    },
    rest: () => state.buffered,
    isOver: () => state.over,
    release() {
      socket.off('data', heard).off('end', ended).off('close', ended);
    },
  };
}
