process.stdout.write("octavo\n");
