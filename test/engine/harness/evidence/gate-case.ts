import type { ModelMessage, Risk, Scope } from '#contract';
import { evidenceOf } from '../../../../engine/harness/evidence/evidence.ts';
import { frameOf } from '../../../../engine/harness/evidence/frame.ts';
import { type Gated, gate } from '../../../../engine/harness/evidence/gate.ts';
import { observe } from '../../../../engine/harness/observe/observe.ts';
import type { Blobs } from '../../../../engine/storage/blobs.ts';

export const NOW = Date.parse('2026-11-21T12:00:00Z');

export const TOOLS: readonly { name: string; risk: Risk; scope: Scope }[] = [
  { name: 'delete_file', risk: 'destructive', scope: 'files:delete' },
  { name: 'edit_file', risk: 'create', scope: 'files:write' },
  { name: 'list_files', risk: 'read', scope: 'files:read' },
  { name: 'read_attachment', risk: 'read', scope: 'mail:read' },
  { name: 'read_file', risk: 'read', scope: 'files:read' },
  { name: 'search_mail', risk: 'read', scope: 'mail:read' },
  { name: 'send_email', risk: 'write', scope: 'mail:create' },
  { name: 'write_file', risk: 'create', scope: 'files:create' },
  { name: 'crm_cleanup', risk: 'write', scope: 'web:write' },
];

const blobs = { put: () => 'a'.repeat(64) } as unknown as Blobs;

export interface GateCase {
  readonly text: string;
  readonly mail?: string;
  readonly results?: readonly (readonly [tool: string, result: object | string])[];
  /** Tools that failed, with their codes. */
  readonly failed?: readonly (readonly [tool: string, code: string])[];
  readonly history?: string;
  readonly now?: number;
  readonly drifted?: readonly string[];
  readonly offered?: typeof TOOLS;
}

/** The gate on an answer, over results that went through the real observation pipeline. */
export function gateOf({
  text,
  mail = 'Please help.',
  results = [],
  failed = [],
  history,
  offered = TOOLS,
  now = NOW,
  drifted = [],
}: GateCase): Gated {
  const frame = frameOf(
    { subject: 'A request', text: mail, sender: 'mia@member.example', attachments: [], today: '2026-11-21', given: [] },
    offered,
  );
  const seen = [
    ...results.map(([name, result], at) =>
      observe({ id: `call_${at + 1}`, name }, { ok: true, result: result as never, ms: 1 }, blobs, NOW),
    ),
    ...failed.map(([name, code], at) =>
      observe({ id: `call_${at + 101}`, name }, { ok: false, error: { code, message: 'no' } }, blobs, NOW),
    ),
  ];
  const messages: ModelMessage[] =
    seen.length === 0
      ? []
      : [
          {
            role: 'tool',
            results: seen.map(({ call_id, tool, content, ok }) => ({
              callId: call_id,
              name: tool,
              content,
              isError: !ok,
            })),
          },
        ];
  const user = (said: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text: said }] });
  const evidence = evidenceOf(
    messages,
    (tool) => (offered.find(({ name }) => name === tool) ?? { risk: 'read' as const }).risk,
  );
  return gate({
    text,
    frame,
    evidence,
    shown: [...(history === undefined ? [] : [user(history)]), user(mail)],
    now,
    drifted: new Set(drifted),
  });
}
