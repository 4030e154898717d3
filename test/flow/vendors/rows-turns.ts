import type { HttpAnswer } from '../../fakes/http-server.ts';
import { idsMatch, idsPlain, idsShort, idsUnique, noUserAfterTool, rolesAlternate, wellFormed } from './checks.ts';
import type { Row } from './row.ts';
import { type Asked, answered, type Call, refuses, says, type Wire } from './wire.ts';

const list = (id: string): Call => ({ id, name: 'list_files', arguments: {} });

/** Calls first; then an answer, where what comes back keeps the vendor's rules. */
const turns =
  (calls: readonly (readonly Call[])[], ...rules: ((wire: Wire, body: Asked['body']) => boolean)[]) =>
  ({ wire, body, before }: Asked): HttpAnswer => {
    const broken = rules.findIndex((keeps) => !keeps(wire, body));
    if (broken >= 0) return refuses(wire, 400, `rule ${broken} is broken`);
    const next = calls[before];
    return next === undefined ? says(wire) : says(wire, '', next);
  };

const LONG = `call_${'a1'.repeat(30)}`;
const OTHER = `call_${'b2'.repeat(30)}`;
/** The same last forty characters. */
const [TAIL_A, TAIL_B] = [`x${'9'.repeat(60)}`, `y${'9'.repeat(60)}`];

const ids: readonly Row[] = (['chat', 'responses', 'anthropic'] as const).flatMap((wire): Row[] => [
  { id: `ids-long-${wire}`, wire, ends: 'answered', answer: turns([[list(LONG)]], idsMatch) },
  { id: `ids-long-strict-${wire}`, wire, ends: 'answered', answer: turns([[list(LONG)]], idsMatch, idsShort) },
  {
    id: `ids-two-long-${wire}`,
    wire,
    ends: 'answered',
    answer: turns([[list(LONG), list(OTHER)]], idsMatch, idsUnique),
  },
  {
    id: `ids-same-end-${wire}`,
    wire,
    ends: 'answered',
    answer: turns([[list(TAIL_A), list(TAIL_B)]], idsMatch, idsUnique),
  },
  {
    id: `ids-signs-${wire}`,
    wire,
    ends: 'answered',
    answer: turns([[list('list_files:0'), list('functions.list:1')]], idsMatch),
  },
  {
    id: `ids-signs-strict-${wire}`,
    wire,
    ends: 'answered',
    answer: turns([[list('list_files:0')]], idsMatch, idsPlain),
  },
  {
    id: `ids-again-${wire}`,
    wire,
    ends: 'answered',
    answer: turns([[list('call_0')], [{ id: 'call_0', name: 'list_files', arguments: { path: 'x' } }]], idsMatch),
  },
  {
    id: `ids-again-strict-${wire}`,
    wire,
    ends: 'answered',
    answer: turns(
      [[list('call_0')], [{ id: 'call_0', name: 'list_files', arguments: { path: 'x' } }]],
      idsMatch,
      idsUnique,
    ),
  },
]);

const blankThen =
  (...rules: ((wire: Wire, body: Asked['body']) => boolean)[]) =>
  ({ wire, body, before }: Asked): HttpAnswer => {
    if (rules.some((keeps) => !keeps(wire, body)))
      return refuses(wire, 400, 'After the optional system message, conversation roles must alternate');
    return before === 0 ? says(wire, '') : says(wire);
  };

/** Calls, then nothing, then an answer: what the model is told stands behind a result. */
const blankAfterCall =
  (...rules: ((wire: Wire, body: Asked['body']) => boolean)[]) =>
  ({ wire, body, before }: Asked): HttpAnswer => {
    if (rules.some((keeps) => !keeps(wire, body)))
      return refuses(wire, 400, "Unexpected role 'user' after role 'tool'");
    if (before === 0) return says(wire, '', [list('call1')]);
    return body.messages?.length !== undefined && before === 1 ? says(wire, '') : says(wire);
  };

const HALF = '\ud83d';

export const TURN_ROWS: readonly Row[] = [
  ...ids,
  { id: 'roles-alternate', wire: 'chat', ends: 'answered', answer: blankThen(rolesAlternate) },
  { id: 'roles-alternate-anthropic', wire: 'anthropic', ends: 'answered', answer: blankThen(rolesAlternate) },
  { id: 'roles-alternate-gemini', wire: 'gemini', ends: 'answered', answer: blankThen(rolesAlternate) },
  { id: 'roles-alternate-ollama', wire: 'ollama', ends: 'answered', answer: blankThen(rolesAlternate) },
  { id: 'roles-after-result', wire: 'chat', ends: 'answered', answer: blankAfterCall(noUserAfterTool) },
  {
    id: 'roles-alternate-after-result',
    wire: 'chat',
    ends: 'answered',
    answer: blankAfterCall(rolesAlternate, noUserAfterTool),
  },
  ...(['chat', 'responses', 'anthropic', 'gemini', 'ollama'] as const).map(
    (wire): Row => ({
      id: `half-sign-${wire}`,
      wire,
      ends: 'answered',
      answer: ({ text, before, wire: spoken }) =>
        wellFormed(text)
          ? before === 0
            ? says(spoken, '', [{ id: 'c1', name: 'read_file', arguments: { path: `a${HALF}b.md` } }])
            : says(spoken)
          : refuses(spoken, 400, 'the request body is not valid JSON: no low surrogate in string'),
    }),
  ),
  ...(['chat', 'responses', 'anthropic', 'gemini', 'ollama'] as const).flatMap((wire): Row[] => [
    {
      id: `name-made-up-${wire}`,
      wire,
      ends: 'answered',
      answer: ({ text, before, wire: spoken }) =>
        /"name":"[^"]*[^a-zA-Z0-9_"-][^"]*"/.test(text) && before > 0
          ? refuses(spoken, 400, "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'")
          : before === 0
            ? says(spoken, '', [{ id: 'c1', name: 'read file (now)!', arguments: {} }])
            : says(spoken),
    },
    {
      id: `name-too-long-${wire}`,
      wire,
      ends: 'answered',
      answer: ({ text, before, wire: spoken }) =>
        /"name":"[^"]{65,}"/.test(text)
          ? refuses(spoken, 400, 'name: string too long')
          : before === 0
            ? says(spoken, '', [{ id: 'c1', name: `read_${'x'.repeat(90)}`, arguments: {} }])
            : says(spoken),
    },
  ]),
  {
    id: 'broken-call-groq',
    wire: 'chat',
    ends: 'answered',
    answer: ({ before, wire }) =>
      before === 0
        ? answered(400, {
            error: {
              message: 'Failed to call a function.',
              type: 'invalid_request_error',
              code: 'tool_use_failed',
              failed_generation: '<function=x',
            },
          })
        : says(wire),
  },
  {
    id: 'broken-call-other-vendor',
    wire: 'chat',
    ends: 'answered',
    answer: ({ before, wire }) =>
      before === 0
        ? answered(400, {
            error: { message: 'Could not parse the tool call', code: 'output_parse_failed', failed_generation: '{"na' },
          })
        : says(wire),
  },
  {
    id: 'broken-call-gemini',
    wire: 'gemini',
    ends: 'answered',
    answer: ({ before, wire }) =>
      before === 0
        ? answered(200, { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', content: {} }] })
        : says(wire),
  },
];
