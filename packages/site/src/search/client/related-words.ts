/**
 * Words that documentation uses for the same idea, with one line per idea. Readers often use a different word than the
 * page that answers their question. A line includes those forms of a word that do not begin with it, e.g. `rolled`.
 */
const ideas = `
delete remove erase discard uninstall drop
undo revert rollback restore rolled
create add new generate make build
change edit modify update adjust customize alter replace
move migrate migrating migration transfer switch convert port
copy duplicate clone reuse
install installation setup
configure configuration config setting settings setup options preferences
begin start started launch startup quickstart
stop end shutdown cancel cancellation quit exit abort terminate teardown
call invoke
find search lookup discover
see view show display watch
hide hidden conceal invisible visibility exclude omit
disable disabled off deactivate
enable enabled activate
choose select pick
price pricing prices cost costs fee billing bill payment pay plan
error errors problem issue fail fails failed failure failing trouble troubleshoot troubleshooting debug debugging
broken break breaks breaking crash
outage downtime incident unavailable status
login signin sign authenticate authentication auth sso
logout signout
password passphrase secret credential credentials
key token
allow permit permission permissions right rights access
authorization authorize admin admins administrator role roles permission permissions
deny forbid block restrict refuse prevent
limit limits quota maximum max throttle throttling rate
private protect protected secure restrict restricted lock closed internal confidential
public open anonymous
user users person people reader readers visitor visitors audience
user member account
colleague coworker teammate team member members
customer customers client
owner admin administrator
role roles permission permissions
invite invitation
company organization business enterprise
memory ram
disk storage drive
cpu processor core
machine computer laptop locally local
fast faster speed performance slow slower latency
size sizing capacity
image images picture photo screenshot
video videos movie youtube
sound audio
font fonts typeface typography
style styles styling css stylesheet appearance theme
script scripts javascript js
picture drawing diagram diagrams chart flowchart graph
table tables grid
equation equations formula formulas math mathematics mathematical latex
url urls address link links
domain hostname dns
redirect redirects forward forwarding
folder directory
file files document
text texts wording content paragraph
snippet snippets reusable reuse
heading title
sidebar navigation menu nav
announcement banner notice
host hosting serve deploy deployment
publish release deploy
online live
backup backups
recover recovery restore
lost loss lose
translate translation translations translated language languages locale localization internationalization i18n multilingual
languages multilingual
download save export
upload import attach
test tests testing
check validate verify lint
review approve approval
preview previews
release releases version versions
old older previous earlier legacy
latest newest current
upgrade upgrading update
notify notification notifications alert alerts alerting
monitor monitoring observability metrics
trace traces tracing telemetry opentelemetry
log logs logging
history audit
analytics statistics stats insights
schedule scheduled cron periodic recurring
automatic automatically automate automation
combine combining merge join compose composition composing
several multiple many
repository repo repositories git
chatbot chat assistant bot
ai llm model agent agents
ask question input prompt elicit elicitation
answer reply response
background async asynchronous
progress status percentage
embed embedding widget iframe
state session sessions
cache caching cached
certificate certificates tls ssl https
proxy gateway
kubernetes k8s helm
docker container containers podman image
database db postgres postgresql
aws amazon
google gcp
microsoft azure entra
variable variables env environment
argument arguments parameter parameters params
function method
endpoint endpoints route operation
swagger openapi
specification spec schema
example examples sample samples
guide tutorial walkthrough
feedback rate rating ratings
phone mobile
keyboard shortcut shortcuts hotkey
offline airgapped
accessible accessibility a11y
seo indexing crawler crawlers google robots
deprecate deprecated deprecation removed obsolete sunset
vulnerability vulnerabilities hole flaw exploit
roadmap planned future upcoming
library libraries sdk sdks package
elect elected appoint appointed nominate nominating
interface ui gui
propose proposal proposals suggest suggestion
long slow async
timeout timeouts expire
expire expires expired expiration lifetime ttl
webhook webhooks hook hooks callback
feed rss
changelog changes history
glossary terms terminology definition definitions
contact support help
requirements prerequisites needed
compare comparison difference differences versus
order sort sorting priority
print pdf
comment annotate
draft unpublished
signature signatures signed
encrypt encrypted encryption
rotate rotation renew renewal
trial free
queue queued waiting
parallel concurrent concurrency simultaneous
retry retries again
health healthcheck liveness
stream streaming sse
terminal shell command commands cli console
editor ide
prove proof verify ownership
job task jobs tasks
strangers untrusted hostile malicious
safe safety secure security
employees staff members team
dashboard panel interface gui ui
zip archive bundle
internet network offline online
admins administrators owners admin
plan plans tier subscription group groups
cloud hosted hosting
know read learn
activity audit history
restart reboot
compress gzip
size large big huge
hour minute minutes hours duration
header headers
body payload
request requests call
response responses reply
field fields property properties attribute attributes
string text
schema model
default defaults
optional required mandatory
plugin plugins extension extensions addon
template templates boilerplate scaffold starter
crash crashes died dies
send deliver delivery
connect connection connecting attach integrate integration
integrate integration integrations
manage administer management
organize arrange structure
separate split divide
remote external
signup register registration
unsubscribe subscribe subscription
group groups category
space workspace
proxy forward relay bridge
`;

const relatedWords = new Map<string, Set<string>>();
for (const idea of ideas.trim().split("\n")) {
  const words = idea.split(" ");
  for (const word of words) {
    const existing = relatedWords.get(word) ?? new Set();
    relatedWords.set(word, new Set([...existing, ...words.filter((other) => other !== word)]));
  }
}

/** Returns other words for the idea that a query word names. */
export function listRelatedWords(word: string): readonly string[] {
  return [...(relatedWords.get(word) ?? [])];
}

/** Two-word verbs, each with a one-word synonym. */
const phrasalVerbs: ReadonlyMap<string, string> = new Map(
  `
back up: backup
bring back: restore
clean up: delete
cut off: disable
get back: restore
get rid: delete
go back: rollback
keep out: exclude
leave out: exclude
log in: login
log out: logout
look for: search
look up: search
opt out: disable
roll back: rollback
set up: setup
shut down: shutdown
sign in: login
sign on: sso
sign out: logout
speed up: faster
switch off: disable
switch on: enable
take back: revoke
take out: remove
throw away: delete
try out: test
turn into: convert
turn off: disable
turn on: enable
`
    .trim()
    .split("\n")
    .map((line) => line.split(": ") as [string, string]),
);
/** Maximum distance of a particle from its verb: `turn the search off`. */
const maxParticleDistance = 3;

/** Returns synonyms for the phrasal verbs in a query, keyed by the verb without its particle. */
export function findPhrasalVerbs(words: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const [at, verb] of words.entries()) {
    for (const particle of words.slice(at + 1, at + 1 + maxParticleDistance)) {
      const other = phrasalVerbs.get(`${verb} ${particle}`);
      if (other !== undefined) found.set(verb, [other, ...listRelatedWords(other)]);
    }
  }
  return found;
}
