import { blocks, lines, type Words } from './words.ts';

export const pt: Words = {
  language: 'pt',
  locale: 'pt-PT',
  name: 'Inês Sousa',
  yes: lines(`
Sim
Aprovado
sim
Sim, por favor.
OK
Pode enviar.
De acordo
Sim, pode enviar.
Sim, está bem.
Sim, obrigada.
Concordo
Sim, envia.
`),
  agreeing: lines(`
Está bem.
Parece-me bem.
Ótimo.
`),
  no: lines(`
Não, não envies.
Afinal não.
Este não, por favor.
Nem pensar.
Não mandes, o Carl já não trabalha lá.
Prefiro que não.
Deixa estar, não faças.
Isto não pode sair assim.
De maneira nenhuma, isso nunca foi combinado.
Não enviar.
Não vamos fazer isso.
Da minha parte é não.
`),
  condition: lines(`
Só se o Tim concordar.
Se o jurídico não se opuser.
A menos que o Carl já tenha escrito.
Desde que o preço se mantenha.
Com a condição de a contabilidade confirmar.
Mas fala primeiro com a Jana.
Assim que eu assinar o contrato.
Só depois de a Mia ver.
Caso haja mesmo stock.
Sujeito à aprovação do meu chefe.
Mas tira a última frase.
Exceto o segundo parágrafo, esse sai.
`),
  date: lines(`
Mas não antes de segunda.
Envia no dia 14 de dezembro, por favor.
Espera até quinta-feira.
Amanhã seria melhor.
Depois das festas.
Hoje ainda não.
Põe a entrega na sexta, 11 de dezembro.
Segura até às 15h.
Na próxima semana, por favor.
A entrega é a 9 de dezembro, não a 7.
Daqui a duas semanas.
Que saia hoje às seis da tarde.
`),
  amount: lines(`
Mas por 4.200 EUR.
Que sejam 10 candeeiros.
Com 5 % de desconto.
No máximo 4.500.
Mas por 4.950 euros.
O preço deve ser 4.300 EUR.
Menos dois candeeiros.
O dobro da quantidade, por favor.
Não mais de 4000.
Põe 20 candeeiros.
4.600 em vez de 4.800.
Mais 120 EUR de portes.
`),
  takeBack: lines(`
Espera, para.
Esquece o que escrevi acima.
Pensando melhor, vamos esperar.
Risca isso.
Desculpa, email errado. Ignora.
Retiro o que disse.
Um momento, deixa-me verificar primeiro.
Cancela isso, por favor.
Ups, isto era para a Jana.
Deixa em espera por agora.
Mudei de ideias.
Não contes com o meu sim.
`),
  question: lines(`
Quem é o Carl?
Porquê 12 candeeiros?
O endereço está certo?
A Mia verificou o preço?
Quanto oferecemos da última vez?
Mostras-me primeiro o texto todo?
Ele já sabe?
É urgente?
Que candeeiros são esses?
Tens a certeza da data?
De onde vem esse preço?
Foi ele que pediu?
`),
  undecided: lines(`
Estou em reunião, vejo depois.
Hum.
Vou pensar nisso esta noite.
Tenho de perguntar à Jana.
Talvez.
Não tenho a certeza.
`),
  greetings: lines(`
Olá Ada,
Bom dia, Ada,
Cara Ada,
`),
  closings: lines(`
Cumprimentos
Obrigada
Com os melhores cumprimentos,
Abraço
`),
  signatures: blocks(`
Inês Sousa
Diretora comercial
Sousa Iluminação, Lda.
Rua do Moinho 12, 1200-001 Lisboa
Tel. +351 210 000 123
www.sousa-iluminacao.example

Inês

Inês Sousa | Sousa Iluminação
Tel. 210 000 123 | Telem. 910 000 123
ines@sousa-iluminacao.example

I. Sousa, gerente
Sousa Iluminação
Lisboa
`),
  hardSignatures: blocks(`
Rui Não
Sousa Iluminação, Lda.

Inês Sousa
Largo da Paragem 3, Lisboa

Inês Sousa
Sousa Iluminação - não só candeeiros.

Sousa Iluminação, Lda.
Conservatória de Lisboa n.º 1234567
NIF n.º 501234567

Inês Sousa
Mensagem confidencial. Se não for o destinatário, elimine-a e não a divulgue.

Inês Sousa
Não imprima este email se não for necessário.

Inês Sousa
Este email não vincula a empresa, salvo indicação em contrário.

Inês Sousa
Não perca a feira, de 14 a 16 de janeiro, pavilhão 3!

Inês Sousa
Horário: seg-sex 9h-17h. À quarta não trabalho.

Inês Sousa
Espera & Alto, Advogados
Sem garantia, salvo erro ou omissão.

Porquê esperar? Encomende online: www.sousa-iluminacao.example
`),
  footerLike: lines(`
Enviado com o preço errado, não mandes.
Enviado do endereço errado, para.
Enviado por engano, espera.
Enviado a partir do comboio sem ter lido tudo, por isso espera.
Obter primeiro o acordo do Tim
`),
  headerLike: blocks(`
De: segunda
A: sexta
Data: não antes de 5 de dezembro

Condição: o Tim concordar
Valor: 4.200 EUR
Entrega: 14 de dezembro

Para: Carl
Assunto: mudar primeiro
Data: próxima semana

De: mim
Para: ti
Assunto: proposta
Nota: não enviar ainda

Quando: depois de falar com a Jana
O quê: só o primeiro parágrafo
Quem: não o Carl, a Dora
`),
  attributionLike: lines(`
Na segunda o Carl disse-me que não quer, escreveu:
Em 24 de novembro de 2026 às 10:00 eu disse que não e a Jana escreveu:
Espera, por favor, na sexta a Mia escreveu:
`),
  postscript: 'P.S.:',
  request: 'Por favor, envia hoje ao Carl a nossa nova proposta para os doze candeeiros.',
  subject: 'Proposta 4711',
  letter:
    'Caro Carl,\n\npropomos 12 candeeiros por 4.800 EUR, entrega na segunda-feira, 7 de dezembro de 2026, às 10:00.\n\nCumprimentos\nAda',
};
