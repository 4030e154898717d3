import { z } from 'zod';
import { defineTool } from '#contract';

const address = z.string().min(3).max(320);

export default defineTool({
  description: 'Mail somebody else than the sender, who gets your final text.',
  risk: 'write',
  scope: 'mail:create',
  uses: ['outgoing'],
  // The mail is stored together with this call's result, so doing it again after a crash sends nothing twice.
  effect: 'keyed',
  later: true,
  input: z.strictObject({
    to: z.array(address).min(1).max(50).describe('Addresses; owners: your owners'),
    cc: z.array(address).max(50).default([]),
    subject: z.string().min(1).max(500),
    body: z.string().min(1).max(100_000),
    attachments: z.array(z.string()).max(10).default([]).describe('Paths or attachment ids'),
    in_reply_to: z.string().optional().describe('Message-ID of a mail to the same people: goes on in its thread'),
  }),
  output: z.object({ message_id: z.string() }),
  provenance: ({ message_id }) => ({ message_id }),
  // A file that is yet to be changed is one that this mail has to wait for.
  effects: async ({ to, cc, attachments, in_reply_to }) => ({
    targets: [...to, ...cc, ...attachments],
    recipients: [...to, ...cc],
    names: [...attachments, ...(in_reply_to === undefined ? [] : [in_reply_to])],
  }),
  // A name says nothing about the bytes behind it: they may be others when the mail is sent.
  preview: (mail, { outgoing }) => outgoing.preview(mail),
  receipt: ({ to, cc, subject }) => ({ act: 'mail', targets: [...to, ...cc], title: subject }),
  run: (mail, { outgoing }) => outgoing.send(mail),
});
