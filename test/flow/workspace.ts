import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface TestWorkspace {
  readonly root: string;
  /** Writes a file of the workspace; objects become JSON. */
  write(path: string, content: string | object): void;
  remove(): void;
}

/** The folder of a provider that is a fake model server, told where it listens by `extensions.json`. */
export const STEADY = {
  'extensions/providers/steady/manifest.json': {
    name: 'steady',
    kind: 'provider',
    api: 1,
    summary: 'Answers',
    adapter: 'openai-compatible',
  },
};

/** Tests write quicker than people, and the same again and again: that is no loop, but where a test says so. */
const inAHurry = (security: string | object): string | object => {
  if (typeof security === 'string') return security;
  const { loop_guard: guard = {} } = security as { loop_guard?: object };
  return { ...security, loop_guard: { max_fast_replies: 0, ...guard } };
};

/** A workspace of its own in a temporary folder: two personas, `offline`, a listener on a free port. */
export function makeWorkspace(files: Readonly<Record<string, string | object>> = {}): TestWorkspace {
  const root = mkdtempSync(join(tmpdir(), 'epistle-flow-'));
  const write = (path: string, content: string | object) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    const given = path === 'configs/security.json' ? inAHurry(content) : content;
    writeFileSync(join(root, path), typeof given === 'string' ? given : JSON.stringify(given));
  };
  const defaults: Record<string, string | object> = {
    'configs/gateway.json': { smtp_listener: { port: 0 } },
    'configs/inference.json': { provider: 'offline' },
    'configs/security.json': { owners: ['owner@example.com'] },
    'configs/system.json': { console: { enabled: false }, log: { level: 'warn', format: 'json' } },
    'configs/prompts/system.md': 'You answer mail.\n',
    'personas/ada/persona.json': {
      name: 'Ada',
      address: 'ada@agents.localhost',
      aliases: ['assistant@agents.localhost'],
      access: { allow: ['*@member.example'] },
    },
    'personas/ada/PERSONA.md': 'You are Ada.\n',
    'personas/ben/persona.json': {
      name: 'Ben',
      address: 'ben@agents.localhost',
      access: { allow: ['*@member.example'] },
    },
    'personas/ben/PERSONA.md': 'You are Ben.\n',
  };
  for (const [path, content] of Object.entries({ ...defaults, ...files })) write(path, content);
  return { root, write, remove: () => rmSync(root, { recursive: true, force: true }) };
}
