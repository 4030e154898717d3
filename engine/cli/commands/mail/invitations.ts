import { visible } from '../../../delivery/questions/approval-text.ts';
import { invitationNamed, listInvitations } from '../../../queries/mail/invitations.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { PAGE_OPTIONS, pageOf } from '../../command/page-options.ts';
import { indented } from '../../text/indented.ts';
import { atHere, zoneLine } from '../../text/local-time.ts';

const list = defineCommand({
  name: 'invitations list',
  summary: 'The meetings that personas invited to, newest first',
  options: PAGE_OPTIONS,
  run: ({ open }, { options }) => listInvitations(open(), pageOf(options)),
  rows: ({ invitations }) => invitations,
  times: true,
  columns: {
    STATE: ({ state }) => state,
    PERSONA: ({ persona }) => persona,
    WHEN: ({ start }) => (start === null ? '' : atHere(start)),
    WHAT: ({ title }) => title,
    ANSWERED: ({ guests }) => `${guests.filter(({ answered_at }) => answered_at !== null).length} of ${guests.length}`,
    ID: ({ id }) => id,
  },
  empty: 'No persona has invited to a meeting.',
});

const show = defineCommand({
  name: 'invitations show',
  summary: 'One meeting, and who has answered what',
  arguments: ['<id>'],
  run: async ({ open }, { args: [id] }) => ({ invitation: await invitationNamed(open(), id) }),
  text: ({ invitation: { title, persona, state, start, end, location, guests } }) =>
    visible(
      [
        `${indented(title, '  ')} (${persona}): ${state}`,
        ...(start === null ? [] : [`  ${atHere(start)}${end === null ? '' : ` to ${atHere(end)}`}`]),
        ...(location === '' ? [] : [`  ${indented(location, '    ')}`]),
        ...guests.map(
          ({ address, answer, answered_at: at, comment }) =>
            `  ${address}: ${answer}${at === null ? '' : `, ${atHere(at)}`}${comment === '' ? '' : `: ${JSON.stringify(comment)}`}`,
        ),
        zoneLine(),
      ].join('\n'),
    ),
});

export const invitations: Group = {
  name: 'invitations',
  summary: 'Meetings that personas invited to',
  commands: [list, show],
};
