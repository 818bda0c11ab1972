/**
 * Common misspellings of English words, with the right spellings. None of the misspellings is an English word or a
 * usual name in any spelling. Words of other languages are left out where they are common.
 */
const pairs = `
  abandonned:abandoned absense:absence absolutly:absolutely acceptible:acceptable
  accesible:accessible accessable:accessible accidently:accidentally accomodate:accommodate
  accomodates:accommodates accomodation:accommodation accross:across acess:access
  acheive:achieve acheived:achieved acheives:achieves acheiving:achieving acknowlege:acknowledge
  acommodate:accommodate acurate:accurate additionaly:additionally additonal:additional
  addtional:additional adminstrator:administrator adress:address adressed:addressed
  adresses:addresses adressing:addressing advertisment:advertisement agressive:aggressive
  agressively:aggressively algoritm:algorithm algorythm:algorithm allready:already alot:a_lot
  alowed:allowed ammount:amount anaylsis:analysis annoymous:anonymous aplication:application
  apparant:apparent apparantly:apparently appearence:appearance applicaton:application
  appropiate:appropriate approriate:appropriate aquire:acquire aquired:acquired
  arbitary:arbitrary architechture:architecture arguement:argument arguements:arguments
  assesment:assessment assistence:assistance assocation:association asume:assume
  asynchonous:asynchronous asyncronous:asynchronous atempt:attempt atribute:attribute
  atributes:attributes attachement:attachment attatch:attach attatched:attached
  authenication:authentication automatially:automatically automaticaly:automatically
  automaticly:automatically avaiable:available availabe:available availabilty:availability
  availible:available avaliable:available bandwith:bandwidth basicly:basically becasue:because
  becuase:because beggining:beginning begining:beginning beleive:believe beleived:believed
  benifit:benefit betwen:between beween:between boundry:boundary buisness:business
  calulate:calculate cannonical:canonical catagories:categories catagory:category
  catergory:category charachter:character charater:character choosen:chosen colection:collection
  comand:command comitted:committed comming:coming commited:committed commitee:committee
  commiting:committing committment:commitment communciation:communication comparision:comparison
  compatability:compatibility compatable:compatible compatibilty:compatibility
  completly:completely componant:component componenet:component comunication:communication
  concatination:concatenation concious:conscious concurent:concurrent conditon:condition
  conection:connection configuation:configuration configuraiton:configuration
  configuraton:configuration configurtion:configuration consistancy:consistency
  consistant:consistent consistantly:consistently containter:container continous:continuous
  continously:continuously controler:controller convienient:convenient convinient:convenient
  corectly:correctly corespond:correspond coresponding:corresponding correspoding:corresponding
  curent:current currenly:currently currenty:currently databse:database deafult:default
  decieve:deceive decison:decision definately:definitely definatly:definitely
  definiton:definition definitons:definitions defualt:default defult:default delimeter:delimiter
  delimeters:delimiters dependancies:dependencies dependancy:dependency dependecies:dependencies
  dependecy:dependency deployement:deployment deploymnet:deployment depricated:deprecated
  desciption:description descripton:description desireable:desirable destintation:destination
  developement:development developper:developer developpers:developers devlopment:development
  diferences:differences diferent:different differnt:different diffrent:different
  dimentions:dimensions directoy:directory disapear:disappear disapeared:disappeared
  documantation:documentation documenation:documentation documentaion:documentation
  documention:documentation downlaod:download durring:during dynamicaly:dynamically
  dynamicly:dynamically easely:easily editting:editing efficency:efficiency efficent:efficient
  eligable:eligible embarass:embarrass embeded:embedded encouter:encounter encypted:encrypted
  encyption:encryption enhacement:enhancement enviornment:environment enviroment:environment
  enviroments:environments equivalant:equivalent equivelant:equivalent equivilent:equivalent
  especialy:especially essentialy:essentially eventualy:eventually exacly:exactly
  exagerate:exaggerate excecute:execute excecuted:executed excecution:execution exectue:execute
  exisiting:existing existance:existence existant:existent expecially:especially
  experiance:experience explaination:explanation explicitely:explicitly explicity:explicitly
  expresion:expression extention:extension extentions:extensions extremly:extremely
  familar:familiar familier:familiar feild:field feilds:fields finaly:finally finnaly:finally
  flexability:flexibility folllow:follow follwing:following folowing:following foriegn:foreign
  formated:formatted formating:formatting foward:forward framwork:framework frequenty:frequently
  fucntion:function fullfil:fulfil fullfill:fulfill funciton:function functionaly:functionally
  functon:function funtion:function funtions:functions furhter:further futher:further
  garantee:guarantee garanteed:guaranteed gaurantee:guarantee generaly:generally geting:getting
  goverment:government grammer:grammar guarentee:guarantee guidlines:guidelines happend:happened
  harware:hardware heigth:height heirarchy:hierarchy hierachy:hierarchy higlight:highlight
  hygeine:hygiene identifer:identifier identifers:identifiers imediately:immediately
  immediatley:immediately immediatly:immediately implemenation:implementation
  implementaion:implementation implemention:implementation implmentation:implementation
  improvment:improvement improvments:improvements incomming:incoming incompatable:incompatible
  inconsistant:inconsistent incorect:incorrect indefinately:indefinitely independant:independent
  independantly:independently infomation:information informaiton:information
  inheritence:inheritance inital:initial initalize:initialize initalized:initialized
  initialy:initially initilize:initialize instalation:installation instaled:installed
  installaton:installation insted:instead instuction:instruction instuctions:instructions
  insufficent:insufficient intead:instead integraton:integration interchangable:interchangeable
  intergrate:integrate intergration:integration interupt:interrupt interupted:interrupted
  intial:initial intialize:initialize invaild:invalid invokation:invocation
  irrelevent:irrelevant keybord:keyboard knowledgable:knowledgeable knowlege:knowledge
  langauge:language languge:language legth:length lenght:length liason:liaison
  libaries:libraries libary:library limitaion:limitation loosly:loosely maintainance:maintenance
  maintainence:maintenance maintenence:maintenance managment:management mangement:management
  maximium:maximum meaninful:meaningful mechansim:mechanism mesage:message mesages:messages
  metdata:metadata millisecons:milliseconds minimium:minimum miscelaneous:miscellaneous
  miscellanous:miscellaneous mispell:misspell mispelled:misspelled mispelling:misspelling
  missmatch:mismatch modifed:modified modifing:modifying mulitple:multiple multple:multiple
  mutiple:multiple mutliple:multiple namespce:namespace navigaton:navigation neccesary:necessary
  neccessary:necessary necesary:necessary necessery:necessary negociate:negotiate
  netowrk:network noticable:noticeable notifcation:notification notificaiton:notification
  occasionaly:occasionally occassion:occasion occassionally:occasionally occurance:occurrence
  occurances:occurrences occured:occurred occurence:occurrence occurences:occurrences
  occuring:occurring offical:official ommit:omit ommited:omitted ommitted:omitted
  oportunity:opportunity optionaly:optionally optionnal:optional orginal:original
  originaly:originally orignal:original otherwhise:otherwise ouput:output overide:override
  overriden:overridden paralel:parallel paramater:parameter paramaters:parameters
  parametr:parameter paramter:parameter paramters:parameters parmeter:parameter
  parralel:parallel particulary:particularly passowrd:password peformance:performance
  perfomance:performance performace:performance permanant:permanent permenant:permanent
  permision:permission permisions:permissions permissons:permissions persistance:persistence
  persistant:persistent platfrom:platform posibility:possibility posible:possible
  possibile:possible postion:position practicaly:practically preceeding:preceding
  prefered:preferred prefering:preferring preperation:preparation prerequisits:prerequisites
  prerequsite:prerequisite presense:presence previosly:previously priviledge:privilege
  priviledges:privileges privilige:privilege probaly:probably proccess:process
  proccessed:processed proccessing:processing proceedure:procedure
  programatically:programmatically properites:properties propery:property propietary:proprietary
  propogate:propagate propogated:propagated propogation:propagation protocal:protocol
  publically:publicly purposefull:purposeful reccomend:recommend reccomended:recommended
  recieve:receive recieved:received reciever:receiver recieves:receives recieving:receiving
  recomend:recommend recomendation:recommendation recomended:recommended reconize:recognize
  recource:resource redundent:redundant refered:referred refering:referring refernce:reference
  refrence:reference registery:registry regsiter:register regulary:regularly relavant:relevant
  releated:related relevence:relevance relevent:relevant reliabilty:reliability
  repetative:repetitive replacable:replaceable replacment:replacement reponse:response
  reponses:responses repositry:repository reproducable:reproducible requirment:requirement
  requirments:requirements requred:required reseting:resetting resonable:reasonable
  resonse:response responce:response responsability:responsibility responsable:responsible
  retreive:retrieve retreived:retrieved retreives:retrieves retreiving:retrieving
  retrive:retrieve retrived:retrieved reuseable:reusable rigth:right saftey:safety
  scedule:schedule securly:securely seperate:separate seperated:separated seperately:separately
  seperates:separates seperating:separating seperation:separation seperator:separator
  seperators:separators sequece:sequence serivce:service settigns:settings shoud:should
  shoudl:should similarily:similarly similiar:similar simplier:simpler
  simultaneusly:simultaneously specfic:specific specifc:specific specifed:specified
  specificaiton:specification specificaly:specifically specifing:specifying specifiy:specify
  statment:statement statments:statements straightfoward:straightforward strucure:structure
  stucture:structure succede:succeed succesful:successful succesfully:successfully
  successfull:successful successfuly:successfully sucess:success sucessful:successful
  sucessfully:successfully sufficent:sufficient suficient:sufficient suport:support
  suported:supported supress:suppress suprise:surprise suprised:surprised
  synchonization:synchronization syncronize:synchronize sytax:syntax sytem:system
  targetting:targeting technicaly:technically teh:the tempalte:template temperary:temporary
  temporarly:temporarily thier:their threshhold:threshold throught:through througout:throughout
  tommorow:tomorrow tommorrow:tomorrow trafic:traffic transfered:transferred
  transfering:transferring transfomation:transformation transparant:transparent
  trigered:triggered truely:truly typcial:typical typicaly:typically udpate:update
  udpated:updated unavailble:unavailable unecessary:unnecessary unexpeted:unexpected
  unfortunatly:unfortunately unknwon:unknown unkown:unknown unneccessary:unnecessary
  unsuccesful:unsuccessful unsuported:unsupported untill:until usally:usually usefull:useful
  usualy:usually vaild:valid valiable:variable varaible:variable varient:variant
  verfication:verification verfy:verify verison:version visable:visible visiblity:visibility
  vulnerabilites:vulnerabilities vulnerabilty:vulnerability wether:whether whcih:which
  wich:which wierd:weird workflwo:workflow writen:written writting:writing yeild:yield
  yeilds:yields
`;

/** The correct words by their misspellings, all in lower case. */
export const misspellings: ReadonlyMap<string, string> = new Map(
  pairs
    .trim()
    .split(/\s+/)
    .map((pair): [string, string] => {
      const [wrong = "", right = ""] = pair.split(":");
      return [wrong, right.replaceAll("_", " ")];
    }),
);
