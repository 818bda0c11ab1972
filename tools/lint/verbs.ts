/** Words with which the names of functions may begin: verbs, and words of questions, such as `is`, `has` and `can`. */
export const verbs: ReadonlySet<string> = new Set(
  `abort accept account acquire add address adjust admit adopt advance advertise aggregate align allow
  analyze announce answer append apply archive are ask assert assign attach attribute authorize avoid await
  begin begins bind bisect blank block borrow bound break bring build bump cache calculate call can cancel
  canonicalize capitalize capture carry cast change charge check choose claim classify clean clear clip
  clone close collapse collect color combine commit compact compare compile complete compose compress
  compute concat confirm connect consume contain continue convert copy correct count cover create crop cut
  decide declare decode decompress decorate decrypt dedent define deflate delete deliver derive describe
  deserialize detect determine diff discard dispatch dispose distribute divide does download draw drop dump
  edit embed emit enable encode encrypt end enforce enqueue ensure enter enumerate erase escape estimate
  evaluate exclude execute expand expect expire explain export expose extend extract fail fetch fill filter
  find finish fit fits fix flatten flush fold follow follows forget fork format forward free freeze gather
  generate get give group grow guard guess guide handle has hash have hear hide highlight hold hydrate
  identify ignore implement import include increase indent index infer inherit init initialize inject inline
  insert inspect install interpret intersect invalidate invert invite invoke is isolate iterate join judge
  jump keep kill label launch lay leave lex lift limit link list listen load locate lock log look lower make
  map mark mask match matches may measure memoize merge migrate minify mirror mix modify monitor mount move
  must name narrow negotiate nest normalize note notify number observe offer omit open order own pack pad
  paint parse pass paste patch pause perform persist pick pin place plan play poll pop prefer prefix prepare
  preserve prevent preview print probe process produce project promote propose protect prove provide prune
  publish pull push put query queue quote raise rank rate read rebase rebuild recall receive recheck record
  recover redact redirect reduce refer refresh refuse register rehearse reject relate release reload
  remember remove rename render renew renumber reopen repack repair repeat replace replay reply repoint
  report requeue require rerun rescue reserve reset resolve respond restart restore restrict resume retry
  return reuse revert review revoke rewrite roll rotate round route run sanitize save scan schedule scope
  score screen scroll search see seed seek select send separate serialize serve set settle shape share shift
  shorten should show shrink shuffle sign simplify sink skip sleep slice slugify snapshot sort spawn spend
  split spread squash start starts stat state stem stop store stream stretch strip style submit subscribe
  substitute subtract suggest sum summarize supply support survey suspend swap switch sync tag take tell
  terminate test throttle throw tidy time title to toggle tokenize track train transact transform translate
  traverse treat trim truncate trust try tune turn type undo unescape unfold unify uninstall union unite
  unlink unlock unpack unquote unwrap update upgrade upload use validate verify view visit vote wait wake
  walk want warn was watch weigh widen withdraw wrap write yield`.split(/\s+/),
);
