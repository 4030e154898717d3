import type { NoticeWords } from './words.ts';

export const en: NoticeWords = {
  causes: {
    auth: 'the model service refused our key',
    rate_limited: 'the model service had too many requests',
    overloaded: 'the model service was overloaded',
    timeout: 'the model service did not answer in time',
    unavailable: 'the model service could not be reached',
    context_overflow: 'the mail and its history are too long for the model',
    bad_request: 'the model refused the request',
    unparsable: 'the model sent something that could not be read',
    repeated_crash: 'the same step stopped the program several times',
    other: 'it could not be finished',
  },
  mailCauses: {
    no_mailbox: 'there is no such mailbox',
    no_domain: 'there is no such mail server',
    full: 'the mailbox is full',
    refused: 'the other server refused it',
    too_large: 'it is too large for the other server',
    unreachable: 'the other server could not be reached for two days',
  },
  more: (count, since) =>
    `Since ${since} this has happened ${count === 1 ? 'once more' : `${count} more times`}. The newest:`,
  moreInSubject: (count) => `, and ${count} more`,
  failedSubject: (subject) => `No answer to "${subject}"`,
  failed: (who, subject, cause) => `I could not answer the mail "${subject}" of ${who}: ${cause}.`,
  partialSubject: (subject) => `Only part of an answer to "${subject}"`,
  partial: (who, subject, cause) => `I could answer the mail "${subject}" of ${who} only in part: ${cause}.`,
  unknownSubject: (subject) => `Was it done? "${subject}"`,
  unknown: (tools) =>
    `My work broke off while I was using ${tools}. It may or may not have been done; I have not repeated it, and will not. Please have a look.`,
  details: (runId) =>
    `What happened: \`epistle runs show ${runId}\`. To try it once more: \`epistle runs retry ${runId}\`.`,
  undeliveredSubject: (subject) => `Not delivered: "${subject}"`,
  undelivered: (subject, to, cause) => `My mail "${subject}" to ${to} did not arrive: ${cause}.`,
  uncertain: (subject, to) =>
    `Nobody can say whether my mail "${subject}" to ${to} arrived: the connection broke off. I have not sent it again.`,
  sentFor: (who) => `It was sent for ${who}, whom I have told.`,
  sentForYou: (subject, to, cause) => `The mail "${subject}" that I sent for you to ${to} did not arrive: ${cause}.`,
  again: (outboxId) => `Once it can arrive, \`epistle outbox retry ${outboxId}\` sends it to the same address again.`,
  undoneSubject: (what) => `Undone: ${what}`,
  notUndoneSubject: (what) => `Not undone: ${what}`,
  undone: (what) => `I have taken this back: ${what}.`,
  notUndone: (what) => `I could not take this back: ${what}. It can be tried again until its time is over.`,
  taskFailedSubject: (name) => `Task failed: ${name}`,
  taskFailed: (name, when, cause) => `"${name}" failed (${when}): ${cause}.`,
  taskNotMailed: (name, when) => `"${name}" did its work (${when}), but its mail could not be delivered.`,
  nextTry: (when) => `Next try: ${when}.`,
  hearAgain: (failures) => `I write again when it works, or after ${failures} failures in a row.`,
  taskPausedSubject: (name) => `Task paused: ${name}`,
  taskPaused: (name, failures, cause) =>
    `"${name}" failed ${failures} times in a row (${cause}) and is paused. It runs again after \`epistle tasks resume\`.`,
  taskWellSubject: (name) => `Task works again: ${name}`,
  taskWell: (name) => `"${name}" works again.`,
};
