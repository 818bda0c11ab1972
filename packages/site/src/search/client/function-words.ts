/**
 * Words in questions that say nothing about a page, in the languages in which most documentation is written. Many of
 * them are rare in a site's text, so their low relevance cannot be derived from their frequency.
 */
const words = `
a about after again all already also always am an and another any are as at be because been before being between both
but by can could did do does doing each either else even ever every few for from had has have he her here hers him his
how i if in instead into is it its itself just let like many may me might mine more most much must my need neither no
nor not of often on one ones only or other our out over rather really s several she should since so some still such t
than that the their them then there these they this those through to too under until up us use used using very want
was way we were what when where whether which while who whole why will with within without would yet you your
aber als am auch auf aus bei das dem den der des die ein eine einem einen einer es fur hat ich im ist kann man meine mit
muss nach nicht oder sein sich sind uber und vom von was wenn wie wird wo zu zum zur
au aux avec ce ces comment dans de des du elle en est et il je la le les mon ne ou par pas peut plus pour quand que quel
qui sa ses son sont sur un une vous
al como con cual cuando de del donde el ella en es esta este hay la las lo los mi no para pero por puedo que se ser si
sin son su sus un una y
ao aos as com como da das de do dos e em esta eu isso meu na nas no nos o os ou para pela pelo posso qual quando que se
sem seu sua uma
`;

const functionWords: ReadonlySet<string> = new Set(words.trim().split(/\s+/));

/** Reports whether a word of a query, in its folded form, says nothing about a page. */
export function isFunctionWord(word: string): boolean {
  return functionWords.has(word);
}

/** Words in questions that say little about the subject of the answering page, such as common verbs. */
const generalWords: ReadonlySet<string> = new Set(
  `add best change come create different do docs doc documentation enable everybody existing find get give go good
happen keep know let list look make new own people possible put right run say see set show site somebody someone
something start take tell thing things view want way website work write`.split(/\s+/),
);

/** Reports whether a word of a query says little about the subject of a page. */
export function isGeneralWord(word: string): boolean {
  return generalWords.has(word);
}
