import type { JsonSchema } from '#contract';
import type { RegisteredTool } from '../../extensions/types.ts';
import { sha256 } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';

/**
 * What makes a tool the one that was asked for. The words of a tool that came with the gateway do not count: they tell a
 * model how to call it, what a call does changes with its arguments, settings, risk or version, and its code comes from
 * where the gateway itself comes from. Of any other tool the words are all that anybody here has seen of what it does,
 * so one that describes itself otherwise is another.
 */
export const fingerprintOf = (tool: RegisteredTool): string =>
  tool.source.isBundled === true
    ? hashOf(tool, { inputSchema: withoutWords(tool.inputSchema) })
    : hashOf(tool, { description: tool.definition.description, inputSchema: tool.inputSchema });

/** Whether an owner was asked about this very tool, by this build or by the one before it. */
export const isFingerprintOf = (tool: RegisteredTool, fingerprint: string): boolean =>
  fingerprint === fingerprintOf(tool) || fingerprint === fingerprintBefore(tool);

/** By the build before, to which the words of its own tools counted as well, as they were then. */
export function fingerprintBefore(tool: RegisteredTool): string {
  const { name, source, definition, inputSchema } = tool;
  const before = source.isBundled === true ? WORDS_BEFORE[name] : undefined;
  return hashOf(tool, {
    description: before?.description ?? definition.description,
    inputSchema: (before?.without ?? []).reduce(withoutDescription, inputSchema),
  });
}

function hashOf(
  { manifest, definition: { risk, scope }, config }: RegisteredTool,
  told: { readonly description?: string; readonly inputSchema: JsonSchema },
): string {
  return sha256(
    canonicalJson({ name: manifest.name, version: manifest.version ?? null, risk, scope, config, ...told }),
  );
}

/** What tools that came with the build before said otherwise: a description, and parameters that had none. */
const WORDS_BEFORE: Readonly<Record<string, { readonly description?: string; readonly without?: readonly string[] }>> =
  {
    remember: {
      description:
        'Keep what the sender asks you to remember, to do from now on, or to correct. ' +
        '`quote`: their words that say so, copied exactly from this mail.',
    },
    send_email: { without: ['to', 'in_reply_to'] },
    propose_playbook: {
      description:
        'Only where the owner says how mail is to be worked on from now on ("when an invoice comes, …"): keeps that for all ' +
        'later mail of the kind. Every text in it has to be words of the owner’s mail, or a template.',
    },
  };

/** Keywords that only say something of what is passed. */
const WORDS: ReadonlySet<string> = new Set(['title', 'description', 'examples', '$comment']);
/** Keywords whose names are names of parameters or of definitions, whatever they are called. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords whose values are values, in which nothing is a keyword. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default']);

/** The schema as far as it decides what may be passed. */
function withoutWords(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(([key]) => !WORDS.has(key));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, VALUES.has(key) ? value : inner(value, NAMED.has(key))]),
  );
}

function inner(value: unknown, isNamed: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => inner(each, false));
  if (!isObject(value)) return value;
  return isNamed
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each, false)]))
    : withoutWords(value);
}

const isObject = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

function withoutDescription(schema: JsonSchema, parameter: string): JsonSchema {
  const { properties } = schema;
  if (!isObject(properties) || !isObject(properties[parameter])) return schema;
  const { description: _, ...rest } = properties[parameter];
  return { ...schema, properties: { ...properties, [parameter]: rest } };
}
