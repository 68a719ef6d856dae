// Used by the case perfetto_native.
// node perfetto.cjs PROTOBUF.JS SCHEMA TRACE: prints the packets of a trace, a line of JSON each, with all fields. A
// field that the schema does not have, or of another type, is an error: what is encoded again must be the same bytes.
const fs = require("fs"), [, , library, schema, trace] = process.argv, protobuf = require(library);
const type = protobuf.parse(fs.readFileSync(schema, "utf8"), { keepCase: true }).root.lookupType("perfetto.protos.Trace");
const bytes = fs.readFileSync(trace), decoded = type.decode(bytes), again = type.encode(decoded).finish();
if (again.length !== bytes.length) throw Error(`${bytes.length} bytes, of which ${again.length} are known`);
for (const packet of decoded.packet)
  console.log(JSON.stringify(packet.constructor.toObject(packet, { longs: String, enums: String })));
