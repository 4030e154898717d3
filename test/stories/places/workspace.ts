import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { templateFiles } from '../../../engine/cli/commands/set-up/templates.ts';
import { type Place, withRole, zoneOf } from './place.ts';

/** As `allowed` by an owner each, who makes members of them, or as `strangers`, who are let in and may use no tool. */
export type Outsiders = 'allowed' | 'strangers';

/** In which the gateway itself speaks, where a mail shows none. */
const SPOKEN = new Set(['de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt', 'zh']);

/** A day: whoever answers by hand is slower than any model. */
const BY_HAND_S = 86_400;

const shipped = (path: string): string => {
  const found = templateFiles({ personas: false }).find(({ file }) => file === path);
  if (!found) throw new Error(`a new workspace has no ${path}`);
  return found.text;
};
const settings = (name: string): object => {
  const { $schema: _, ...rest } = JSON.parse(shipped(`configs/${name}.json`));
  return rest;
};

/** A workspace as `init` makes it, with this persona in it; all that is shipped is on, and an owner's own words count. */
export function writeWorkspace(root: string, place: Place, options: { model: string; outsiders: Outsiders }): void {
  const { persona, language, about } = place;
  const members = withRole(place, 'member');
  const allowed = options.outsiders === 'allowed' ? withRole(place, 'outsider') : [];
  const files: Record<string, string | object> = {
    ...Object.fromEntries(templateFiles({ personas: false }).map(({ file, text }) => [file, text])),
    'configs/gateway.json': {
      ...settings('gateway'),
      domain: persona.address.slice(persona.address.indexOf('@') + 1),
      smtp_listener: { port: 0 },
    },
    'configs/security.json': {
      ...settings('security'),
      owners: withRole(place, 'owner'),
      approvals: { own_words: 'count', answer: 'now', batch_window_s: 0 },
      // A mail follows as soon as the one before is answered, which is no loop.
      loop_guard: { max_fast_replies: 0 },
      ...(options.outsiders === 'strangers' ? { gateway_access: { default_decision: 'allow' } } : {}),
    },
    'configs/inference.json': {
      ...settings('inference'),
      provider: 'by-hand',
      model: 'frontier',
      model_timeout_s: BY_HAND_S,
      run_timeout_s: BY_HAND_S,
      retry: { late_note_min: 0 },
    },
    'configs/system.json': {
      ...settings('system'),
      console: { enabled: false },
      log: { level: 'warn', format: 'json' },
    },
    'extensions/extensions.json': { providers: [{ name: 'by-hand', config: { base_url: options.model } }] },
    'extensions/providers/by-hand/manifest.json': {
      name: 'by-hand',
      kind: 'provider',
      api: 1,
      summary: 'A model that somebody plays',
      adapter: 'openai-compatible',
      models: { frontier: { context_tokens: 200_000, max_output_tokens: 16_000, images: true } },
    },
    [`personas/${place.place}/persona.json`]: {
      name: persona.name,
      address: persona.address,
      access: { allow: [...members, ...allowed] },
      timezone: zoneOf(place),
      ...(SPOKEN.has(language) ? { language } : {}),
    },
    [`personas/${place.place}/PERSONA.md`]: `You are ${persona.name}, a careful assistant. ${about}\n`,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
}
