import type { HttpAnswer } from '../../fakes/http-server.ts';
import { TOOL_CHECKS } from './checks.ts';
import type { Row } from './row.ts';
import { type Asked, refuses, says, toolsOf, type Wire } from './wire.ts';

type Check = keyof typeof TOOL_CHECKS;

/** A vendor that takes no tool that breaks its rule. */
const strict =
  (...checks: Check[]) =>
  ({ wire, body }: Asked): HttpAnswer => {
    const broken = checks.find((name) => TOOL_CHECKS[name](wire, body));
    if (broken)
      return refuses(wire, 400, `Invalid schema for function: ${broken}`, { code: 'invalid_function_parameters' });
    // The tool is there all the same.
    if (!toolsOf(wire, body).some(({ name }) => /odd/.test(name))) return says(wire, 'It is gone.');
    return says(wire);
  };

const deep = (levels: number): object =>
  levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: deep(levels - 1) } };

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

const underscored = (schemas: Record<string, readonly [readonly Check[], object]>) =>
  Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name.replaceAll('-', '_'), one]));

const SCHEMAS: Readonly<Record<string, readonly [readonly Check[], object]>> = underscored({
  'any-of': [
    ['topLevel'],
    { ...object({ id: { type: 'string' } }), anyOf: [{ required: ['id'] }, { required: ['a'] }] },
  ],
  'one-of-only': [
    ['topLevel', 'properties'],
    { type: 'object', oneOf: [object({ a: { type: 'string' } }), object({ b: { type: 'number' } })] },
  ],
  'all-of': [
    ['topLevel', 'properties'],
    { type: 'object', allOf: [object({ a: { type: 'string' } }, { required: ['a'] })] },
  ],
  'not-at-top': [['topLevel'], { ...object({ a: { type: 'string' } }), not: { required: ['b'] } }],
  'no-properties': [['topLevel', 'properties'], { type: 'object' }],
  'only-additional': [['properties'], { type: 'object', additionalProperties: { type: 'string' } }],
  'array-without-items': [['properties'], object({ list: { type: 'array' } })],
  'odd-keys': [
    ['keys'],
    object({ 'filter[name]': { type: 'string' }, $top: { type: 'integer' }, größe: { type: 'string' } }),
  ],
  'long-key': [['keys'], object({ ['k'.repeat(90)]: { type: 'string' } })],
  definitions: [
    ['references', 'draft'],
    { ...object({ a: { $ref: '#/definitions/a' } }), definitions: { a: object({ b: { type: 'string' } }) } },
  ],
  recursive: [
    ['references', 'depth'],
    { ...object({ a: { $ref: '#/$defs/a' } }), $defs: { a: object({ next: { $ref: '#/$defs/a' } }) } },
  ],
  itself: [['references'], object({ a: { $ref: '#' } })],
  'not-required': [['gemini'], object({ a: { type: 'string' } }, { required: ['a', 'missing'] })],
  'enum-of-numbers': [['gemini'], object({ a: { type: 'integer', enum: [1, 2, 3] }, b: { enum: ['', 'x'] } })],
  constant: [['gemini'], object({ kind: { const: 'a' }, on: { enum: [true, null] } })],
  deep: [['depth'], deep(18)],
  'many-values': [
    ['enums', 'size'],
    object({ a: { type: 'string', enum: Array.from({ length: 3000 }, (_, n) => `value ${n}`) } }),
  ],
  huge: [
    ['size'],
    object(
      Object.fromEntries(
        Array.from({ length: 900 }, (_, n) => [`field_${n}`, { type: 'string', description: `The field ${n}` }]),
      ),
    ),
  ],
  'long-words': [['descriptions'], object({ a: { type: 'string', description: 'very long '.repeat(400) } })],
  conditions: [
    ['topLevel', 'grammar'],
    { ...object({ a: { type: 'string' } }), if: { required: ['a'] }, ['th' + 'en']: { required: ['b'] }, else: {} },
  ],
  patterns: [
    ['grammar'],
    object(
      {
        a: { type: 'string', pattern: '^(?!x)[a-z]+$' },
        m: { type: 'object', patternProperties: { '^x': { type: 'string' } } },
      },
      {},
    ),
  ],
  pairs: [
    ['grammar', 'properties'],
    object({ at: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }] } }),
  ],
  anything: [['go'], object({ a: true, b: {}, c: { type: ['string', 'null'] } })],
  'inner-not': [
    ['grammar'],
    object({ a: { not: { type: 'string' } }, b: { type: 'array', contains: { type: 'string' } } }),
  ],
});

const schemaRows = Object.entries(SCHEMAS).flatMap(([name, [checks]]): Row[] => [
  ...WIRES_OF(checks).map((wire) => schemaRow(name, wire, checks)),
  // Whatever is odd about it.
  schemaRow(name, 'ollama', checks.includes('grammar') ? ['go', 'grammar'] : ['go']),
]);

function schemaRow(name: string, wire: Wire, checks: readonly Check[]): Row {
  return { id: `schema-${name}-${wire}`, wire, ends: 'answered', tools: [name], answer: strict(...checks) };
}

/** Which vendors are known to check so. */
function WIRES_OF(checks: readonly Check[]): readonly Wire[] {
  if (checks.includes('go')) return ['chat'];
  if (checks.includes('gemini')) return ['gemini'];
  if (checks.includes('keys') || checks.includes('draft')) return ['anthropic', 'chat'];
  if (checks.includes('topLevel')) return ['chat', 'responses', 'anthropic'];
  if (checks.includes('grammar')) return ['chat'];
  return ['chat', 'gemini'];
}

const FEW = { fits: { max_tools: 40 } };
const MANY = Array.from({ length: 60 }, (_, n) => `many_${n}`);
const PLAIN = object({ a: { type: 'string' } });
/** A rule that nobody has written down. */
const refusesTool =
  (wire: Wire, status: number) =>
  ({ body }: Asked): HttpAnswer =>
    toolsOf(wire, body).some(({ name, schema }) => name.startsWith('odd') && JSON.stringify(schema).includes('strange'))
      ? refuses(wire, status, 'tools: something about it is not right')
      : says(wire);
const refusesName =
  (wire: Wire, status: number) =>
  ({ body }: Asked): HttpAnswer =>
    toolsOf(wire, body).some(({ name }) => name.startsWith('odd'))
      ? refuses(wire, status, 'this tool may not be used here')
      : says(wire);

export const TOOL_ROWS: readonly Row[] = [
  ...schemaRows,
  ...(['chat', 'anthropic', 'gemini', 'ollama'] as const).map(
    (wire): Row => ({
      id: `schema-unknown-rule-${wire}`,
      wire,
      ends: 'answered',
      tools: ['strange'],
      answer: refusesTool(wire, 400),
    }),
  ),
  ...(['chat', 'responses', 'anthropic', 'gemini', 'ollama'] as const).map(
    (wire): Row => ({
      id: `tool-never-taken-${wire}`,
      wire,
      ends: 'left_out',
      tools: ['plain'],
      answer: refusesName(wire, wire === 'chat' ? 422 : 400),
    }),
  ),
  { id: 'name-begins-with-digit', wire: 'gemini', ends: 'answered', toolName: '7odd', answer: strict('names') },
  {
    id: 'description-too-long',
    wire: 'chat',
    ends: 'answered',
    tools: ['wordy'],
    answer: strict('descriptions'),
  },
  { id: 'too-many-tools', wire: 'chat', ends: 'left_out', tools: MANY, manifest: FEW, answer: strict('count') },
  {
    id: 'too-many-tools-anthropic',
    wire: 'anthropic',
    ends: 'left_out',
    tools: MANY,
    manifest: FEW,
    answer: strict('count'),
  },
];

const listed = (name: string, inputSchema: object, description = 'It is odd') => ({ name, description, inputSchema });

/** What the MCP server has. */
export const ODD_TOOLS: readonly object[] = [
  ...Object.entries(SCHEMAS).map(([name, [, schema]]) => listed(name, schema)),
  listed('strange', object({ a: { type: 'object', properties: { strange: { type: 'string', title: 'strange' } } } })),
  listed('plain', PLAIN),
  listed('wordy', PLAIN, 'It does a great deal. '.repeat(200)),
  ...MANY.map((name) => listed(name, PLAIN)),
];
