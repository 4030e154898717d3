import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Worker } from '../app.ts';
import type { ExtensionRecord } from '../extensions/types.ts';

/** What only the running process knows, left where `status` can read it. */
const stateSchema = z.object({
  pid: z.int(),
  mailboxes: z.array(
    z.object({
      id: z.string(),
      state: z.enum(['connected', 'retrying', 'auth_failed', 'disabled']),
      error: z.string().nullable(),
    }),
  ),
  cooldowns: z.array(z.object({ provider: z.string(), until: z.number() })),
  /** Personas whose mail waits because their files are wrong; of the others the last good version is in force. */
  persona_errors: z.array(z.string()),
  /** Extensions that failed since they were loaded, and are switched off. */
  extension_errors: z
    .array(
      z.object({
        kind: z.enum(['provider', 'tool', 'resolver', 'hook']),
        name: z.string(),
        error: z.object({ code: z.literal('extension_failed'), message: z.string(), file: z.string() }),
      }),
    )
    .default([]),
  unhandled_rejections: z.int().default(0),
});

export type GatewayState = z.infer<typeof stateSchema>;

const LOOK_MS = 500;
const pathOf = (dataDir: string): string => join(dataDir, 'state.json');

/** Keeps `data/state.json` up to date; returns the way to stop, which removes it. */
export function publishState(
  { workspace, mailboxes, cooldowns }: Worker,
  unhandledRejections: () => number,
): () => void {
  const { dataDir, live, clock, log, currentExtensions } = workspace;
  const path = pathOf(dataDir);
  const written = { text: '' };
  const write = () => {
    const state: GatewayState = {
      pid: process.pid,
      mailboxes: mailboxes.states().map(({ id, state: is, error }) => ({ id, state: is, error })),
      cooldowns: [...cooldowns.list(clock.now())],
      persona_errors: [...live.personas().all()].flatMap(({ id, state: is }) => (is === 'error' ? [id] : [])),
      extension_errors: currentExtensions().all.flatMap(failureOf),
      unhandled_rejections: unhandledRejections(),
    };
    const text = JSON.stringify(state);
    if (text === written.text) return;
    try {
      // Not flushed: after a crash nobody may believe it anyway.
      writeFileSync(path, text, { mode: 0o600 });
      written.text = text;
    } catch (error) {
      log.warn({ error: String(error) }, 'the state for `status` could not be written');
    }
  };
  write();
  const timer = setInterval(write, LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    rmSync(path, { force: true });
  };
}

const failureOf = ({ kind, name, error }: ExtensionRecord): GatewayState['extension_errors'] =>
  error?.code === 'extension_failed' ? [{ kind, name, error: { ...error, code: error.code } }] : [];

/** Extensions as this process finds them, with what only the running gateway knows of them. */
export function extensionsNow(found: readonly ExtensionRecord[], state: GatewayState | null): ExtensionRecord[] {
  return found.map((record) => {
    const failed = state?.extension_errors.find(({ kind, name }) => kind === record.kind && name === record.name);
    return failed && record.state === 'loaded' ? { ...record, state: 'error', error: failed.error } : record;
  });
}

/** What the gateway with this pid wrote last; null when there is nothing of it. */
export function readState(dataDir: string, pid: number): GatewayState | null {
  try {
    const state = stateSchema.parse(JSON.parse(readFileSync(pathOf(dataDir), 'utf8')));
    return state.pid === pid ? state : null;
  } catch {
    return null;
  }
}
