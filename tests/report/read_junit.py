"""Reads JUnit XML files by junitparser and prints what it finds, a line a file:
FILE tests failures errors skipped NAME..., the names being those of failing test cases."""
import sys

from junitparser import Error, Failure, JUnitXml, Skipped

for file in sys.argv[1:]:
    counts = {Failure: 0, Error: 0, Skipped: 0}
    tests, failing = 0, []
    for suite in JUnitXml.fromfile(file):
        for case in suite:
            tests += 1
            for result in case.result:
                counts[type(result)] += 1
                if isinstance(result, Failure):
                    failing.append(case.name)
    print(file, tests, counts[Failure], counts[Error], counts[Skipped], *sorted(failing))
