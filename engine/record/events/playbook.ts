import { playbookAnswer, playbookLeft, playbookSelected, playbookStep } from '../codec/playbook.ts';
import { addCalls } from '../state.ts';
import { event } from './define.ts';

// What the playbook of a run does in the place of the model.

export const playbookEvents = {
  playbook_selected: event(playbookSelected.shape, { besideLoop: true }),
  playbook_step: event(playbookStep.shape, {
    fold(state, { step, call }) {
      state.playbookSteps.push({ step, callId: call.id });
      addCalls(state, { role: 'assistant', text: '', toolCalls: [call] });
    },
  }),
  playbook_left: event(playbookLeft.shape, {
    fold(state) {
      state.playbookIsOver = true;
    },
  }),
  playbook_answer: event(playbookAnswer.shape, {
    fold(state, { text }) {
      state.playbookIsOver = true;
      state.messages.push({ role: 'assistant', text, toolCalls: [] });
      state.lastText = text;
    },
  }),
};
