import { z } from 'zod';
import { defineTool } from '#contract';

const part = z.record(z.string().max(64), z.json());
const kept = z.object({ kind: z.string(), version: z.number(), before: z.number() });

export default defineTool({
  description:
    'Only where the owner names calls to be made by themselves ("when an invoice comes, put it into …"), for all such ' +
    'mail; else `remember_rule`. Texts in it, but for names of rules, are words of the owner’s mail, or templates.',
  risk: 'write',
  scope: 'schedule:write',
  uses: ['playbooks'],
  onlyWith: 'learning',
  effect: 'idempotent',
  later: true,
  input: z.strictObject({
    kind: z.string().max(80).describe('answer, draft, triage, research, schedule or task:<id>'),
    words: z.string().min(10).max(1000).describe('Their sentence, copied exactly'),
    steps: z
      .array(part)
      .max(8)
      .default([])
      .describe(
        '{tool, arguments (texts may hold {{mail.subject}}), when: [{of: mail.subject, is: containing, value}]}',
      ),
    deny: z.array(part).max(8).default([]).describe('{rule: no-files, tool, reason, when}'),
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
