import { defineResolver, type ResolverInput } from '#contract';
import { localTime, oneLine, tierInWords } from './words.ts';

const MAX_ADDRESSES = 20;
const MAX_ATTACHMENTS = 50;
const MAX_LIMITATIONS = 20;

/** The facts around the mail. The only clock is the mail's own time of arrival, so a resumed run says the same. */
export default defineResolver({
  resolve: (input) => ({ slot: 'volatile', text: (input.thread.kind === 'task' ? aboutTask : aboutMail)(input) }),
});

function aboutMail({ persona, thread, message }: ResolverInput): string {
  return [
    'About this mail (facts from the gateway; subject, addresses and attachment names were chosen by the sender):',
    ...timeLines(message.receivedAt, persona.timezone),
    `Your address: ${oneLine(persona.address, 320)}`,
    `From: ${oneLine(message.from, 400)}`,
    `Sender: ${tierInWords(message.tier)}`,
    ...addressLine('To', message.to),
    ...addressLine('Cc', message.cc),
    // Quoted, so that no subject can look like a line of this list.
    `Subject: ${JSON.stringify(oneLine(message.subject, 500))}`,
    ...(thread.messageCount > 1 ? [`Messages in this thread, this one included: ${thread.messageCount}`] : []),
    ...attachmentLines(message.attachments),
    ...limitationLines(message.limitations),
  ].join('\n');
}

function aboutTask({ persona, message }: ResolverInput): string {
  return [
    'About this task (started by the schedule, not by a mail):',
    ...timeLines(message.receivedAt, message.task?.timezone ?? persona.timezone),
    ...dueLine(message.task),
    `Your address: ${oneLine(persona.address, 320)}`,
    `Task: ${JSON.stringify(oneLine(message.subject, 500))}`,
    ...(message.task?.previous ? [`The run before: ${oneLine(message.task.previous, 500)}`] : []),
    'Your final text is mailed to the readers of this task; nobody answers questions in it. With nothing to tell them, answer with the one word NOTHING.',
    ...attachmentLines(message.attachments),
    ...limitationLines(message.limitations),
  ].join('\n');
}

function timeLines(receivedAt: string, timezone: string): string[] {
  const local = localTime(receivedAt, timezone);
  return local === null ? ['Now: unknown'] : [`Now: ${local}`, `In UTC: ${oneLine(receivedAt, 40)}`];
}

function dueLine(task: ResolverInput['message']['task']): string[] {
  const local = task ? localTime(task.dueAt, task.timezone) : null;
  return local === null ? [] : [`Due: ${local}`];
}

function addressLine(label: string, addresses: readonly string[]): string[] {
  if (addresses.length === 0) return [];
  const shown = addresses.slice(0, MAX_ADDRESSES).map((address) => oneLine(address, 320));
  const more = addresses.length - shown.length;
  return [`${label}: ${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`];
}

function attachmentLines(attachments: readonly string[]): string[] {
  const more = attachments.length - MAX_ATTACHMENTS;
  return [
    ...(attachments.length > 0 ? ['Attachments (read_attachment gives their text):'] : []),
    ...attachments.slice(0, MAX_ATTACHMENTS).map((line) => oneLine(line, 500)),
    ...(more > 0 ? [`and ${more} more attachments`] : []),
  ];
}

function limitationLines(limitations: readonly string[]): string[] {
  if (limitations.length === 0) return [];
  const shown = limitations.slice(0, MAX_LIMITATIONS).map((line) => `- ${oneLine(line, 500)}`);
  return ['Not everything could be read; say so where it matters:', ...shown];
}
