import { defineResolver } from '#contract';
import { addFile, textFiles } from './fit.ts';

/** Of the whole budget for the prompt; the rest is for history and the mail itself. */
const SHARE = 0.25;
const CHARACTERS_PER_TOKEN = 4;
const MAX_NAMED = 20;

/** The texts of `personas/<id>/knowledge/`, in name order, as far as they fit. */
export default defineResolver({
  async resolve({ persona, budgetTokens }, { listFiles, readFile }) {
    const folder = `personas/${persona.id}/knowledge`;
    const maxCharacters = Math.floor(budgetTokens * SHARE * CHARACTERS_PER_TOKEN);
    const names = textFiles(await listFiles(folder));
    const sections: string[] = [];
    let taken = 0;
    for (const name of names) {
      const text = (await readFile(`${folder}/${name}`))?.trim();
      taken += 1;
      if (text && !addFile(sections, { name, text }, maxCharacters)) break;
    }
    if (sections.length === 0) return null;
    const left = names.slice(taken);
    const more = left.length > MAX_NAMED ? `, and ${left.length - MAX_NAMED} more` : '';
    if (left.length > 0) sections.push(`[not shown, no room: ${left.slice(0, MAX_NAMED).join(', ')}${more}]`);
    return { slot: 'stable', text: `Background knowledge, given by the owner:\n\n${sections.join('\n\n')}` };
  },
});
