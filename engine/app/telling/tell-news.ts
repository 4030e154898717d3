import { LANGUAGES } from '../../wording/language.ts';
import { NEWS, type NewsKey } from '../../wording/to-owners/news.ts';
import { noticeTo, type Telling } from './tell-owners.ts';

/** Set by the step of the databases that an earlier build's workspace goes through; keys with a comma between them. */
const DUE = 'news';

/** One mail to the owners of a workspace that an earlier build has worked in: what behaves otherwise now. */
export async function tellNews({ workspace, announce }: Telling): Promise<void> {
  const { gateway } = workspace;
  const due = (await gateway.setting(DUE, () => '')).split(',').filter(isNews);
  if (due.length === 0) return;
  await noticeTo({ workspace, announce }, () => false, {
    id: `notice:news:${due.join(',')}`,
    words: (language) => {
      const { subject, opening, items } = NEWS[language];
      return {
        subject,
        text: [opening, '', ...due.flatMap((key) => items[key].map((item) => `- ${item}`))].join('\n'),
      };
    },
  });
  await gateway.changeSetting(DUE, '');
}

const isNews = (key: string): key is NewsKey => LANGUAGES.some((language) => Object.hasOwn(NEWS[language].items, key));
