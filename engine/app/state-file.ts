import { rmSync, writeFileSync } from 'node:fs';
import type { ExtensionRecord, Extensions } from '../extensions/types.ts';
import { type GatewayState, statePath } from '../queries/gateway/state.ts';
import type { Worker } from './worker.ts';

const LOOK_MS = 500;

/** Keeps `data/state.json` up to date; returns the way to stop, which removes it. */
export function publishState(
  { workspace, mailboxes, cooldowns }: Worker,
  unhandledRejections: () => number,
): () => void {
  const { dataDir, live, clock, log, currentExtensions } = workspace;
  const path = statePath(dataDir);
  const written = { text: '' };
  const write = () => {
    const state: GatewayState = {
      pid: process.pid,
      mailboxes: mailboxes.states().map(({ id, state: is, error, lookedAt }) => ({
        id,
        state: is,
        error,
        looked_at: lookedAt,
      })),
      cooldowns: [...cooldowns.list(clock.now())],
      persona_errors: [...live.personas().all()].flatMap(({ id, state: is }) => (is === 'error' ? [id] : [])),
      extension_errors: currentExtensions().all.flatMap(failureOf),
      tools_waiting: toolsWaiting(currentExtensions()),
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

/** By what stands in the registry: twice a second nobody compares lists. */
const toolsWaiting = ({ tools }: Extensions): GatewayState['tools_waiting'] => {
  const away = tools.all().flatMap(({ name, away: is }) => (is ? [{ name, server: is.server }] : []));
  return [...Map.groupBy(away, ({ server }) => server)].map(([server, all]) => ({
    server,
    tools: all.map(({ name }) => name),
  }));
};

const failureOf = ({ kind, name, error }: ExtensionRecord): GatewayState['extension_errors'] =>
  error?.code === 'extension_failed' ? [{ kind, name, error: { ...error, code: error.code } }] : [];
