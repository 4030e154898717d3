import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';
import { readJson } from '../../../lib/json.ts';
import { logFiles } from '../../../lib/log/log.ts';

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

const RANKS = new Map<string, number>(LEVELS.map((level, rank) => [level, rank]));

const lineSchema = z.looseObject({ time: z.string(), level: z.string(), msg: z.string().default('') });

/** A line as it was logged. */
export type LogLine = z.infer<typeof lineSchema>;

interface Wanted {
  /** Ms. */
  readonly since: number | undefined;
  readonly persona: string | undefined;
  /** This level and those above. */
  readonly level: Level;
}

/** Pure. A mail that comes in names its persona as whom it is to. */
export function isWanted(line: LogLine, { since, persona, level }: Wanted): boolean {
  const isLater = since === undefined || Date.parse(line.time) >= since;
  const isOf = persona === undefined || line.persona === persona || line.to === persona;
  return isLater && isOf && (RANKS.get(line.level) ?? -1) >= (RANKS.get(level) ?? 0);
}

/** Undefined for what a killed gateway left half-written. */
const readLine = (text: string): LogLine | undefined => readJson(lineSchema, text);

/** The newest `limit` lines that are wanted, oldest first. */
export function newestLines(dataDir: string, wanted: Wanted, limit: number): readonly LogLine[] {
  const { newest, before } = logFiles(dataDir);
  const found: LogLine[] = [];
  for (const file of [newest, before]) {
    for (const text of textOf(file).split('\n').toReversed()) {
      const line = text === '' ? undefined : readLine(text);
      if (line && isWanted(line, wanted)) found.push(line);
      if (found.length >= limit) return found.reverse();
    }
  }
  return found.reverse();
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Hands out the whole lines that were written since the last call; the first call hands out nothing. */
export function followLines(dataDir: string): { more(): readonly LogLine[]; close(): void } {
  const { newest } = logFiles(dataDir);
  const state = { fd: null as number | null, at: 0, rest: '', decoder: new StringDecoder('utf8') };
  const open = (from: 'end' | 'beginning'): void => {
    try {
      const fd = openSync(newest, 'r');
      Object.assign(state, { fd, at: from === 'end' ? fstatSync(fd).size : 0, rest: '' });
      state.decoder = new StringDecoder('utf8');
    } catch {
      state.fd = null;
    }
  };
  const close = (): void => {
    if (state.fd !== null) closeSync(state.fd);
    state.fd = null;
  };
  const take = (): string[] => {
    if (state.fd === null) return [];
    const bytes = Buffer.alloc(Math.max(0, fstatSync(state.fd).size - state.at));
    state.at += readSync(state.fd, bytes, 0, bytes.length, state.at);
    const lines = (state.rest + state.decoder.write(bytes)).split('\n');
    state.rest = lines.pop() ?? '';
    return lines;
  };
  open('end');
  return {
    more() {
      const lines = take();
      // A full file has another name by now, and what is new stands in a new one.
      if (state.fd === null || isOther(newest, state.fd)) {
        lines.push(...take());
        close();
        open('beginning');
        lines.push(...take());
      }
      return lines.flatMap((text) => readLine(text) ?? []);
    },
    close,
  };
}

function isOther(path: string, fd: number): boolean {
  try {
    const other = openSync(path, 'r');
    const isSame = fstatSync(other).ino === fstatSync(fd).ino;
    closeSync(other);
    return !isSame;
  } catch {
    // Until the first line of the new file.
    return false;
  }
}
