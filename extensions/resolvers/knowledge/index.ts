import { defineResolver } from '#contract';
import { inPart, pointers, whole } from './texts.ts';

/** Of the budget for the prompt, in characters per token; where the model cannot open what is pointed at. */
const SHARE = 0.25;
const CHARACTERS_PER_TOKEN = 4;
const MAX_POINTERS = 5;
const MAX_SECTIONS = 20;
const MAX_QUERY = 2000;

/**
 * What the owner put into `personas/<id>/knowledge/`: all of it where it is short, else where to look for what the mail
 * is about, or, for a model that cannot look, the sections themselves.
 */
export default defineResolver({
  uses: ['knowledge'],
  async resolve({ message, tools, budgetTokens }, { knowledge }) {
    const all = await knowledge.whole();
    if (all.texts !== null) {
      const text = whole(all.texts, all);
      return text === null ? null : { slot: 'stable', text };
    }
    const query = `${message.subject}\n${message.newText}`.slice(0, MAX_QUERY);
    const canOpen = tools.includes('read_knowledge');
    const hits = await knowledge.find({ query, limit: canOpen ? MAX_POINTERS : MAX_SECTIONS });
    if (canOpen)
      return { slot: 'volatile', text: pointers(hits, { ...all, canSearch: tools.includes('search_knowledge') }) };
    const { sections } = await knowledge.read(hits.map(({ id }) => id));
    const room = Math.floor(budgetTokens * SHARE * CHARACTERS_PER_TOKEN);
    return { slot: 'volatile', text: inPart(sections, { ...all, room }) };
  },
});
