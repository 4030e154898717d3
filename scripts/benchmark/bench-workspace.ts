import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface BenchWorkspace {
  readonly root: string;
  remove(): void;
}

export const SENDER = 'mia@member.example';
export const addressOf = (persona: number): string => `p${persona}@agents.localhost`;
export const personaId = (persona: number): string => `p${persona}`;

/** A context so small that eight earlier mails fill it: then threads of any length show the model equally much. */
const SMALL_CONTEXT = { context_tokens: 2560, max_output_tokens: 512, tools: true };
const LARGE_CONTEXT = { context_tokens: 128_000, max_output_tokens: 4096, tools: true };

/** The tool that every run here calls. */
export const NOTE = {
  description: 'Reads one of your notes.',
  input: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  text: 'Region South: plan 100, actual 96; one order moved. '.repeat(4),
} as const;

export const SYSTEM = 'You answer mail: shortly, and in the language of the sender.\n';

const NOTE_TOOL = `export default {
  description: ${JSON.stringify(NOTE.description)},
  risk: 'read',
  scope: 'files:read',
  input: ${JSON.stringify(NOTE.input)},
  run: async ({ number }) => ({ number, text: ${JSON.stringify(NOTE.text)} }),
};
`;

/** A workspace in a temporary folder whose model is the given server, reached through the OpenAI adapter. */
export function makeBenchWorkspace(options: {
  personas: number;
  /** Null: the offline provider. */
  modelUrl: string | null;
  model?: 'large' | 'small';
  mailboxes?: readonly object[];
  maxToolTurns?: number;
}): BenchWorkspace {
  const root = mkdtempSync(join(tmpdir(), 'epistle-bench-'));
  const write = (path: string, content: string | object) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  };
  write('configs/gateway.json', { smtp_listener: { port: 0 }, mailboxes: options.mailboxes ?? [] });
  write('configs/inference.json', {
    ...(options.modelUrl === null
      ? { provider: 'offline' }
      : {
          provider: 'bench',
          model: options.model ?? 'large',
          max_tool_turns: options.maxToolTurns ?? 8,
          step_caps: { read: null, mutate: null },
        }),
  });
  write('configs/security.json', {
    owners: ['owner@example.com'],
    // One sender writes thousands of mails here, which is what these limits are there to stop.
    loop_guard: {
      max_replies_per_thread_per_hour: 0,
      max_replies_per_sender_per_hour: 0,
      fast_reply_s: 0,
      max_fast_replies: 0,
    },
  });
  write('configs/system.json', { console: { enabled: false }, log: { level: 'warn', format: 'json' } });
  write('configs/prompts/system.md', SYSTEM);
  if (options.modelUrl !== null) {
    write('extensions/extensions.json', { providers: ['bench'], tools: ['note'] });
    write('extensions/tools/note/manifest.json', {
      name: 'note',
      kind: 'tool',
      api: 1,
      summary: 'Costs nothing, so that what a step costs is the cost of the harness',
      entry: 'index.mjs',
    });
    write('extensions/tools/note/index.mjs', NOTE_TOOL);
    write('extensions/providers/bench/manifest.json', {
      name: 'bench',
      kind: 'provider',
      api: 1,
      summary: 'A model on loopback that answers at once',
      adapter: 'openai-compatible',
      config: { base_url: options.modelUrl },
      models: { large: LARGE_CONTEXT, small: SMALL_CONTEXT },
    });
  }
  for (let persona = 0; persona < options.personas; persona += 1) {
    const id = personaId(persona);
    write(`personas/${id}/persona.json`, {
      name: `Persona ${persona}`,
      address: addressOf(persona),
      access: { allow: ['*@member.example'] },
    });
    write(`personas/${id}/PERSONA.md`, `You are persona ${persona}.\n`);
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
