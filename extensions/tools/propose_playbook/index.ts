import { z } from 'zod';
import { defineTool } from '#contract';

const part = z.record(z.string().max(64), z.json());
const kept = z.object({ kind: z.string(), version: z.number(), before: z.number() });

export default defineTool({
  description:
    'Only where the owner names calls that are to be made by themselves ("when an invoice comes, put it into …"): keeps them ' +
    'for all later mail of the kind; all else from now on is `remember_rule`. Every text in it, but for the name of a rule, has to be words of the owner’s mail, or a template.',
  risk: 'write',
  scope: 'schedule:write',
  uses: ['playbooks'],
  onlyWith: 'learning',
  effect: 'idempotent',
  input: z.strictObject({
    kind: z.string().max(80).describe('answer, draft, triage, research, schedule or task:<id>'),
    words: z.string().min(10).max(1000).describe('The sentence of the owner that asks for it, word for word'),
    steps: z
      .array(part)
      .max(8)
      .default([])
      .describe(
        '{"tool", "arguments" (texts may hold {{mail.subject}}), "when": [{"of": "mail.subject", "is": "containing", "value"}]}',
      ),
    deny: z.array(part).max(8).default([]).describe('{"rule": "no-files", "tool", "reason", "when"}'),
  }),
  output: kept,
  provenance: () => null,
  // What cannot be kept is told at once, not after an owner has thought about it.
  async effects(proposal, { playbooks }) {
    await playbooks.preview(proposal);
    return { targets: [`playbook ${proposal.kind}`] };
  },
  preview: (proposal, { playbooks }) => playbooks.preview(proposal),
  receipt: ({ kind }) => ({ act: 'saved', targets: [`playbook ${kind}`] }),
  async undo(_, result, { playbooks }) {
    await playbooks.takeBack(kept.parse(result));
    return null;
  },
  async run(proposal, { playbooks }) {
    return { ...(await playbooks.apply(proposal)) };
  },
});
