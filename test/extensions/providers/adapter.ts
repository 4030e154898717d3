import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import type { GenerateRequest, HarnessProviderAdapter, Json, Log, ModelMessage, ProviderDefinition } from '#contract';
import { manifestSchema } from '../../../engine/config/extension-schemas.ts';
import anthropic from '../../../extensions/providers/anthropic/index.ts';
import gemini from '../../../extensions/providers/gemini/index.ts';
import offline from '../../../extensions/providers/offline/index.ts';
import openai from '../../../extensions/providers/openai/index.ts';

export const KEY = 'sk-test-0123456789';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

export type ProviderManifest = Extract<z.infer<typeof manifestSchema>, { kind: 'provider' }>;

/** A bundled provider's manifest, as the engine reads it. */
export function manifestOf(name: string): ProviderManifest {
  const file = new URL(`../../../extensions/providers/${name}/manifest.json`, import.meta.url);
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  if (manifest.kind !== 'provider') throw new Error(`${name} is no provider`);
  return manifest;
}

/** The adapter that the engine would make of the bundled manifest with this `config` over it. */
export async function adapterOf(
  name: string,
  config: Record<string, Json> = {},
  secrets: Record<string, string> = { api_key: KEY },
): Promise<HarnessProviderAdapter> {
  const manifest = manifestOf(name);
  const make = <Config>(definition: ProviderDefinition<Config>) => {
    const merged = definition.config?.parse({ ...manifest.config, ...config });
    if (merged === undefined) throw new Error(`${name} has no config schema`);
    return definition.create({ name, config: merged, secrets, models: manifest.models, log: silent });
  };
  switch (manifest.adapter?.replace('-compatible', '') ?? name) {
    case 'openai':
      return make(openai);
    case 'anthropic':
      return make(anthropic);
    case 'gemini':
      return make(gemini);
    default:
      return make(offline);
  }
}

export const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });

export const TOOLS: GenerateRequest['tools'] = ['list_files', 'read_file'].map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, additionalProperties: false },
}));

/** A request with sensible defaults; the model is the manifest's default. */
export function requestTo(name: string, change: Partial<GenerateRequest> = {}): GenerateRequest {
  return {
    model: manifestOf(name).default_model ?? '',
    system: ['You are Ada.', 'Answer briefly.'],
    messages: [user('What is in plan.txt?')],
    tools: TOOLS,
    toolChoice: 'auto',
    maxOutputTokens: null,
    temperature: null,
    cacheKey: 'thread-1',
    input: { text: 'What is in plan.txt?' },
    ...change,
  };
}

export const never = (): { signal: AbortSignal } => ({ signal: new AbortController().signal });
