import type { Wording } from '../../language.ts';

interface UsageWords {
  readonly subject: string;
  /** `said` and `own` are numbers of tokens, as the language writes them. */
  text(model: string, said: string, own: string): string;
}

/** What owners hear once of a model whose vendor counts far otherwise than the gateway does. */
export const USAGE_DIFFERS: Wording<UsageWords> = {
  en: {
    subject: 'A model service counts very differently from me',
    text: (model, said, own) =>
      `For one call of ${model} the service reports ${said} tokens; by my own count it was about ${own}. I book the larger number, so that your budget holds. Please compare the service's bill with what I report. I tell you this once.`,
  },
  de: {
    subject: 'Ein Modelldienst zählt ganz anders als ich',
    text: (model, said, own) =>
      `Für einen Aufruf von ${model} meldet der Dienst ${said} Token; nach meiner Zählung waren es etwa ${own}. Ich buche die größere Zahl, damit Ihr Budget hält. Bitte vergleichen Sie die Rechnung des Dienstes mit meinen Angaben. Ich sage das nur einmal.`,
  },
  fr: {
    subject: 'Un service de modèles compte tout autrement que moi',
    text: (model, said, own) =>
      `Pour un appel de ${model}, le service indique ${said} jetons ; d’après mon calcul, il y en avait environ ${own}. Je retiens le plus grand nombre, afin que votre budget soit respecté. Comparez la facture du service avec mes chiffres. Je ne le signale qu’une fois.`,
  },
  es: {
    subject: 'Un servicio de modelos cuenta de forma muy distinta a la mía',
    text: (model, said, own) =>
      `Para una llamada a ${model} el servicio indica ${said} tokens; según mi cuenta fueron unos ${own}. Anoto la cifra mayor para que se respete su presupuesto. Compare la factura del servicio con mis datos. Se lo digo una sola vez.`,
  },
  it: {
    subject: 'Un servizio di modelli conta in modo molto diverso da me',
    text: (model, said, own) =>
      `Per una chiamata di ${model} il servizio indica ${said} token; secondo il mio conteggio erano circa ${own}. Registro il numero più alto, perché il suo budget sia rispettato. Confronti la fattura del servizio con i miei dati. Lo dico una volta sola.`,
  },
  nl: {
    subject: 'Een modeldienst telt heel anders dan ik',
    text: (model, said, own) =>
      `Voor één aanroep van ${model} meldt de dienst ${said} tokens; volgens mijn telling waren het er ongeveer ${own}. Ik boek het grootste aantal, zodat uw budget klopt. Vergelijk de rekening van de dienst met mijn opgave. Ik zeg dit één keer.`,
  },
  pt: {
    subject: 'Um serviço de modelos conta de forma muito diferente da minha',
    text: (model, said, own) =>
      `Para uma chamada de ${model} o serviço indica ${said} tokens; pela minha contagem foram cerca de ${own}. Registo o número maior, para que o seu orçamento seja cumprido. Compare a fatura do serviço com os meus dados. Digo-o uma só vez.`,
  },
  pl: {
    subject: 'Usługa modelu liczy zupełnie inaczej niż ja',
    text: (model, said, own) =>
      `Za jedno wywołanie ${model} usługa podaje ${said} tokenów; według moich obliczeń było ich około ${own}. Księguję większą liczbę, aby budżet został dotrzymany. Proszę porównać rachunek usługi z moimi danymi. Informuję o tym tylko raz.`,
  },
  ja: {
    subject: 'モデルのサービスの計数が私の計数と大きく異なります',
    text: (model, said, own) =>
      `${model} の一回の呼び出しについて、サービスは ${said} トークンと報告していますが、私の計数では約 ${own} でした。予算を守るため、大きい方の数を計上します。サービスの請求書と私の報告を比べてください。このお知らせは一度だけです。`,
  },
  zh: {
    subject: '模型服务的计数与我的计数相差很大',
    text: (model, said, own) =>
      `对 ${model} 的一次调用，服务报告为 ${said} 个 token；按我的计算约为 ${own} 个。为了不超出预算，我按较大的数字记账。请将服务的账单与我的报告核对。此事只通知一次。`,
  },
};
